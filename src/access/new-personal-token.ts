/** A personal access token that somebody asks for. */
export interface NewPersonalToken {
  name: string;
  scopes: readonly string[];
  /** `YYYY-MM-DD`. */
  expiresAt: string;
}

/** One that was made, with its text, which is known only now. */
export interface PersonalToken {
  token: string;
  scopes: readonly string[];
  /** `YYYY-MM-DD`; null for never. */
  expiresAt: string | null;
}
