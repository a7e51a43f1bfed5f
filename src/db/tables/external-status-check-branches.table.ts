export interface ExternalStatusCheckBranchesTable {
  check_id: number;
  protected_ref_id: number;
}
