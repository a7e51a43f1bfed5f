/*
 * Schema of /api/graphql. Every field comes from the REST API with the rights of the caller: `webUrl` is `web_url` of the
 * REST JSON unless `resolvers.ts` has a resolver for it.
 */

const connection = (type: string): string => `
"One page of a list of ${type}."
type ${type}Connection {
  "The nodes of this page."
  nodes: [${type}]
  edges: [${type}Edge]
  pageInfo: PageInfo!
  "Total number of nodes; null if there are too many to count."
  count: Int
}
type ${type}Edge { cursor: String!, node: ${type} }
`;

const PAGE = 'first: Int, after: String, last: Int, before: String';
const ISSUES = `issues(${PAGE}, iids: [String!], state: IssuableState, search: String, authorUsername: String,
    assigneeUsername: String, labelName: [String], milestoneTitle: [String], sort: String): IssueConnection`;
const MERGE_REQUESTS = `mergeRequests(${PAGE}, iids: [String!], state: MergeRequestState, search: String, authorUsername: String,
    assigneeUsername: String, reviewerUsername: String, labelName: [String], milestoneTitle: String,
    sourceBranches: [String!], targetBranches: [String!], draft: Boolean, sort: String): MergeRequestConnection`;

const WORK_ITEMS = `workItems(${PAGE}, iid: String, iids: [String!], types: [IssueType!], state: IssuableState, search: String,
    authorUsername: String, assigneeUsernames: [String!], labelName: [String!], milestoneTitle: [String!], confidential: Boolean,
    createdAfter: Time, createdBefore: Time, updatedAfter: Time, updatedBefore: Time, includeDescendants: Boolean = false,
    sort: String): WorkItemConnection`;

const PERSON = `
  id: ID!, username: String!, name: String!, state: String!, avatarUrl: String, webUrl: String!, webPath: String!
  active: Boolean, human: Boolean, lastActivityOn: Date, pronouns: String, discord: String, linkedin: String, twitter: String
`;

const ISSUABLE = `
  id: ID!, iid: ID!, title: String!, description: String, state: String!, webUrl: String, webPath: String
  "Short name, such as #1 or group/project!2."
  reference(full: Boolean = false): String!
  author: UserCore, assignees(${PAGE}): UserCoreConnection, labels(${PAGE}): LabelConnection, milestone: Milestone
  createdAt: Time!, updatedAt: Time!, closedAt: Time
  upvotes: Int!, downvotes: Int!, userNotesCount: Int!, discussionLocked: Boolean!
  timeEstimate: Int!, totalTimeSpent: Int!
`;

export const SDL = `
scalar Time
scalar Date
enum IssuableState { opened closed locked all }
enum MergeRequestState { opened closed merged locked all }
enum GroupMemberRelation { DIRECT INHERITED DESCENDANTS SHARED_FROM_GROUPS }
enum ProjectMemberRelation { DIRECT INHERITED DESCENDANTS INVITED_GROUPS SHARED_INTO_ANCESTORS }
enum IssueType { ISSUE INCIDENT TEST_CASE REQUIREMENT TASK TICKET OBJECTIVE KEY_RESULT EPIC }
enum WorkItemState { OPEN CLOSED }
enum WorkItemWidgetType { DESCRIPTION ASSIGNEES LABELS MILESTONE START_AND_DUE_DATE WEIGHT TIME_TRACKING }
scalar WorkItemID

type Query {
  "The caller; null without a token."
  currentUser: CurrentUser
  "Metadata of the server."
  metadata: Metadata
  project(fullPath: ID!): Project
  projects(${PAGE}, ids: [ID!], membership: Boolean, search: String, sort: String): ProjectConnection
  group(fullPath: ID!): Group
  groups(${PAGE}, search: String): GroupConnection
  "A group, a user or a project."
  namespace(fullPath: ID!): Namespace
  workItem(id: WorkItemID!): WorkItem
  user(id: ID, username: String): UserCore
  users(${PAGE}, usernames: [String!], search: String): UserCoreConnection
  "The text, preceded by the name of the caller."
  echo(text: String!): String!
}

type PageInfo { hasNextPage: Boolean!, hasPreviousPage: Boolean!, startCursor: String, endCursor: String }

type Metadata { version: String!, revision: String!, enterprise: Boolean!, kas: Kas! }
type Kas { enabled: Boolean!, externalUrl: String, externalK8sProxyUrl: String, version: String }

type UserCore { ${PERSON} publicEmail: String, bio: String, location: String, organization: String, jobTitle: String, bot: Boolean, createdAt: Time }
type CurrentUser { ${PERSON}
  publicEmail: String, commitEmail: String, email: String, bio: String, location: String, organization: String, jobTitle: String,
  bot: Boolean, createdAt: Time, admin: Boolean
  "Number of groups that the user is a member of, including subgroups."
  groupCount: Int
  gitpodEnabled: Boolean
  namespace: Namespace
  assignedMergeRequests(${PAGE}, state: MergeRequestState): MergeRequestConnection
  authoredMergeRequests(${PAGE}, state: MergeRequestState): MergeRequestConnection
  reviewRequestedMergeRequests(${PAGE}, state: MergeRequestState): MergeRequestConnection
  groups(${PAGE}, search: String): GroupConnection
  contributedProjects(${PAGE}): ProjectConnection
  starredProjects(${PAGE}): ProjectConnection
}

type Namespace { id: ID!, name: String!, path: String!, fullPath: ID!, fullName: String, visibility: String, webUrl: String, avatarUrl: String
  ${WORK_ITEMS}
}

type Group { id: ID!, name: String!, path: String!, fullPath: ID!, fullName: String!, description: String, visibility: String,
  webUrl: String!, avatarUrl: String, createdAt: Time, requestAccessEnabled: Boolean, lfsEnabled: Boolean,
  parent: Group
  projects(${PAGE}, includeSubgroups: Boolean = false, search: String, sort: String): ProjectConnection
  descendantGroups(${PAGE}, search: String): GroupConnection
  groupMembers(${PAGE}, relations: [GroupMemberRelation!] = [DIRECT, INHERITED], search: String): MemberConnection
  ${WORK_ITEMS}
  ${ISSUES}
  ${MERGE_REQUESTS}
  labels(${PAGE}, searchTerm: String): LabelConnection
  milestones(${PAGE}, state: String, search: String): MilestoneConnection
}

type Project { id: ID!, fullPath: ID!, path: String!, name: String!, nameWithNamespace: String!, description: String,
  webUrl: String, sshUrlToRepo: String, httpUrlToRepo: String, avatarUrl: String, visibility: String, archived: Boolean,
  createdAt: Time, updatedAt: Time, lastActivityAt: Time, starCount: Int!, forksCount: Int!, openIssuesCount: Int, topics: [String!],
  issuesEnabled: Boolean, mergeRequestsEnabled: Boolean, wikiEnabled: Boolean, jobsEnabled: Boolean, snippetsEnabled: Boolean,
  lfsEnabled: Boolean, requestAccessEnabled: Boolean, sharedRunnersEnabled: Boolean, containerRegistryEnabled: Boolean,
  onlyAllowMergeIfPipelineSucceeds: Boolean, onlyAllowMergeIfAllDiscussionsAreResolved: Boolean,
  removeSourceBranchAfterMerge: Boolean, printingMergeRequestLinkEnabled: Boolean, mergeMethod: String, squashOption: String,
  autocloseReferencedIssues: Boolean, suggestionCommitMessage: String, mergeCommitTemplate: String, squashCommitTemplate: String,
  namespace: Namespace, group: Group, statistics: ProjectStatistics, repository: Repository
  issue(iid: String!): Issue
  ${ISSUES}
  mergeRequest(iid: String!): MergeRequest
  ${MERGE_REQUESTS}
  labels(${PAGE}, searchTerm: String, includeAncestorGroups: Boolean = false): LabelConnection
  label(title: String!): Label
  milestones(${PAGE}, state: String, search: String): MilestoneConnection
  projectMembers(${PAGE}, relations: [ProjectMemberRelation!] = [DIRECT, INHERITED], search: String): MemberConnection
  ${WORK_ITEMS}
}
type ProjectStatistics { commitCount: Float!, storageSize: Float!, repositorySize: Float!, wikiSize: Float, lfsObjectsSize: Float!,
  buildArtifactsSize: Float, packagesSize: Float, snippetsSize: Float, uploadsSize: Float }
type Repository { exists: Boolean!, empty: Boolean!, rootRef: String
  branchNames(searchPattern: String!, offset: Int!, limit: Int!): [String!] }

type Issue { ${ISSUABLE} confidential: Boolean!, dueDate: Date, weight: Int, type: String, relativePosition: Int, hidden: Boolean, severity: String }
type MergeRequest { ${ISSUABLE}
  projectId: Int!, sourceProjectId: Int, targetProjectId: Int!, sourceBranch: String!, targetBranch: String!, draft: Boolean!,
  mergedAt: Time, mergeUser: UserCore, mergeCommitSha: String, squashCommitSha: String, diffHeadSha: String,
  detailedMergeStatus: String, mergeStatus: String, conflicts: Boolean!, squash: Boolean!, squashOnMerge: Boolean!, allowCollaboration: Boolean,
  shouldRemoveSourceBranch: Boolean, forceRemoveSourceBranch: Boolean, autoMergeEnabled: Boolean!, mergeError: String
  reviewers: UserCoreConnection, approved: Boolean!, approvalsRequired: Int, approvalsLeft: Int, approvedBy: UserCoreConnection
  project: Project!, sourceProject: Project, targetProject: Project!
  commitCount: Int, commits(${PAGE}): CommitConnection
}
type WorkItem { id: ID!, iid: String!, title: String!, description: String, state: WorkItemState!, workItemType: WorkItemType!
  reference(full: Boolean = false): String!
  author: UserCore, confidential: Boolean!, archived: Boolean!, imported: Boolean!, webUrl: String, webPath: String
  createdAt: Time!, updatedAt: Time!, closedAt: Time
  project: Project, namespace: Namespace
  features: WorkItemFeatures
  widgets(onlyTypes: [WorkItemWidgetType!]): [WorkItemWidget!]
}
type WorkItemType { id: ID!, name: String! }
type WorkItemFeatures {
  description: WorkItemWidgetDescription, assignees: WorkItemWidgetAssignees, labels: WorkItemWidgetLabels, milestone: WorkItemWidgetMilestone
  startAndDueDate: WorkItemWidgetStartAndDueDate, weight: WorkItemWidgetWeight, timeTracking: WorkItemWidgetTimeTracking
  status: WorkItemWidgetStatus
}
interface WorkItemWidget { type: WorkItemWidgetType }
type WorkItemWidgetDescription implements WorkItemWidget { type: WorkItemWidgetType, description: String }
type WorkItemWidgetAssignees implements WorkItemWidget { type: WorkItemWidgetType, assignees(${PAGE}): UserCoreConnection, allowsMultipleAssignees: Boolean! }
type WorkItemWidgetLabels implements WorkItemWidget { type: WorkItemWidgetType, labels(${PAGE}): LabelConnection }
type WorkItemWidgetMilestone implements WorkItemWidget { type: WorkItemWidgetType, milestone: Milestone }
type WorkItemWidgetStartAndDueDate implements WorkItemWidget { type: WorkItemWidgetType, startDate: Date, dueDate: Date }
type WorkItemWidgetWeight implements WorkItemWidget { type: WorkItemWidgetType, weight: Int }
type WorkItemWidgetTimeTracking implements WorkItemWidget { type: WorkItemWidgetType, timeEstimate: Int!, totalTimeSpent: Int! }
type WorkItemWidgetStatus { type: WorkItemWidgetType, status: WorkItemStatus }
type WorkItemStatus { id: ID, name: String }
type Commit { id: ID!, sha: String!, shortId: String!, title: String, message: String, authorName: String, authorEmail: String,
  authoredDate: Time, committerName: String, committedDate: Time, webUrl: String! }
type Label { id: ID!, title: String!, description: String, color: String!, textColor: String! }
type Milestone { id: ID!, iid: ID!, title: String!, description: String, state: String!, dueDate: Date, startDate: Date, expired: Boolean,
  webPath: String, createdAt: Time!, updatedAt: Time! }
type Member { id: ID!, user: UserCore, accessLevel: AccessLevel, createdAt: Time, updatedAt: Time, expiresAt: Date }
type AccessLevel { integerValue: Int, stringValue: String }
${['Commit', 'Group', 'Issue', 'Label', 'Member', 'MergeRequest', 'Milestone', 'Project', 'UserCore', 'WorkItem'].map(connection).join('')}
`;
