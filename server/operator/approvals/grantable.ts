/** Who may grant a proposal, and until when. */
import type { Person } from '../../audit/people.ts'
import { AppError } from '../../errors.ts'
import type { ProposalRecord } from '../../storage/audit/proposals.ts'
import { expectNamed, refused } from './refusal.ts'

/** How long a process has for what was granted. If it dies, the proposal can be granted again afterwards. */
export const GRANT_LEASE_MS = 120_000

/** Returns the id of the person. @throws AppError validation_failed, request_in_progress */
export function expectGrantable(
  { id, state, sealed, proposedBy, expiresAt, decidedAt }: ProposalRecord,
  person: Pick<Person, 'id'>,
  now: Date,
): string {
  const by = expectNamed(person)
  if (proposedBy === by)
    throw refused('You have proposed this yourself, so another operator must approve it.')
  if (state === 'done' || state === 'refused') throw refused(`The proposal ${id} is ${state} already.`)
  // The values of what was granted and then interrupted are gone some time after that.
  if ((state === 'open' || !sealed) && expiresAt <= now)
    throw refused(`The proposal ${id} expired at ${expiresAt.toISOString()}. Propose it again.`)
  if (state === 'granted' && decidedAt && now.getTime() < decidedAt.getTime() + GRANT_LEASE_MS)
    throw new AppError('request_in_progress', {
      retryAfterSeconds: GRANT_LEASE_MS / 1_000,
      message: `The proposal ${id} was granted at ${decidedAt.toISOString()}, and is being carried out. If that was interrupted, grant it again two minutes later.`,
    })
  return by
}
