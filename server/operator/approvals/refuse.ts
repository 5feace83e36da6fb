/** Refusing what somebody has proposed, or taking it back. */
import { type Context, systemClock } from '../../context.ts'
import { decideProposal, lockProposal, type ProposalRecord } from '../../storage/audit/proposals.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import { BANK_ACCOUNT } from './bank-account.ts'
import { expectNamed, expectWhy, found, refused } from './refusal.ts'
import type { Proposer } from './stake.ts'

/**
 * Refuses a proposal. Its proposer may take it back in this way. `why`: what the shop reads of it, if the shop has asked for it.
 * @throws AppError not_found, validation_failed
 */
export async function refuseProposal(
  ctx: Context,
  person: Proposer,
  id: string,
  why = '',
): Promise<ProposalRecord> {
  const reason = why.trim() === '' ? null : expectWhy(why)
  return inTransaction(ctx.db, (tx) => refuseWithin(tx, person, id, reason))
}

/** The same in a transaction of the caller. @throws AppError not_found, validation_failed */
export async function refuseWithin(
  tx: Tx,
  person: Proposer,
  id: string,
  why: string | null = null,
): Promise<ProposalRecord> {
  const proposal = found(await lockProposal(tx, id), id)
  if (proposal.state !== 'open') throw refused(`The proposal ${id} is ${proposal.state} already.`)
  if (why !== null && proposal.what !== BANK_ACCOUNT)
    throw refused('Only a shop reads why, and only of the bank account that it has asked for.')
  await decideProposal(tx, id, { state: 'refused', by: expectNamed(person), at: systemClock.now(), why })
  return { ...proposal, state: 'refused' }
}
