/** What a language has words for, about what needs a second person. */
import type { FactName, FactWord } from '../../operator/approvals/facts.ts'
import type { GuardedName } from '../../operator/approvals/guarded.ts'

export type ApprovalWords = {
  acts: Record<GuardedName, string>
  facts: Record<FactName, string>
  values: Record<FactWord, string>
  mail: Record<ApprovalMailKey, string>
}
export type ApprovalMailKey =
  | 'insteadOf'
  | 'waitsTitle'
  | 'waitsText'
  | 'waitsOpen'
  | 'proposal'
  | 'expires'
  | 'why'
