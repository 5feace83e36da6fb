/**
 * Granting what another person has proposed.
 * Rule: it is done once. The transaction that does it marks the proposal, so a race or a crash cannot do it twice.
 */
import { type Context, systemClock } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { actingOn, actOn } from '../../storage/audit/act.ts'
import type { Act } from '../../storage/audit/log.ts'
import { findOperator } from '../../storage/audit/operators.ts'
import {
  decideProposal,
  findProposal,
  finishProposal,
  lockProposal,
  type ProposalFailure,
  type ProposalRecord,
} from '../../storage/audit/proposals.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import { valuesOf } from './approvals.ts'
import { expectGrantable } from './grantable.ts'
import { found, refused } from './refusal.ts'
import { dropSecret, keepSecret } from './secrets.ts'
import type { Handover, Proposer } from './stake.ts'
import { expectStillMay } from './still-may.ts'
import { rowOf } from './weigh.ts'

/** `halves`: the second halves of what opens something. `hasSecret`: whoever has proposed it can see a secret, once. */
export type Granted = { what: string; about: string; halves: Handover; hasSecret: boolean }

/**
 * Does what another person has proposed.
 * @throws AppError not_found; validation_failed for one's own proposal, or one that is decided or expired; request_in_progress while
 *   another process does it; those of the act, such as payment_not_eligible for a payment that has changed since
 */
export async function grantProposal(
  ctx: Context,
  { person, act = actOn(ctx.db) }: { person: Proposer; act?: Act },
  id: string,
  now: Date = systemClock.now(),
): Promise<Granted> {
  if (person.prove) {
    // Only read: a lock would leave a row in the log, as if it were granted.
    expectGrantable(found(await findProposal(ctx.db, id), id), person, now)
    await person.prove({ what: 'approval grant', world: ctx.world, args: { id } })
  }
  const claimed = await inTransaction(ctx.db, (tx) => claim(tx, person, id, now))
  const { what, about } = claimed
  const proposer = (await findOperator(ctx.db, claimed.proposedBy)) ?? undefined
  try {
    const row = rowOf(what)
    const args = valuesOf(ctx, claimed)
    if (!row || !args) throw refused(`The proposal ${id} cannot be carried out by this version.`)
    await expectStillMay(ctx, row, { proposal: claimed, proposer, args })
    const acting = { act: { ...act, what, proposal: id }, merchantId: claimed.merchantId, about: id }
    const own = { ...ctx, db: actingOn(ctx.db, acting, { isRecorded: true }) }
    const make = async () => (await row.opens?.make(ctx, args)) ?? null
    const secret = await inTransaction(ctx.db, (tx) => keepSecret(ctx, tx, id, make))
    const name = `${proposer?.name}, approved by ${person.name}`
    const doer = { id: claimed.proposedBy, name, isApproved: true }
    const result = await row.run(own, args, doer, secret?.text)
    await inTransaction(ctx.db, (tx) => finishProposal(tx, id))
    return { what, about, halves: row.halves?.(result) ?? {}, hasSecret: secret !== null }
  } catch (error) {
    await inTransaction(ctx.db, (tx) => release(tx, id, { claimedAt: now, failure: failureOf(error) }))
    throw isDone(error) ? refused(`The proposal ${id} was carried out already.`) : error
  }
}

async function claim(tx: Tx, person: Proposer, id: string, now: Date): Promise<ProposalRecord> {
  const proposal = await getProposal(tx, id)
  const by = expectGrantable(proposal, person, now)
  await decideProposal(tx, id, { state: 'granted', by, at: now })
  return proposal
}

/**
 * Refuses the proposal after a failure that another try cannot fix. After any other failure it is open again. Changes that were
 * made are kept.
 */
async function release(
  tx: Tx,
  id: string,
  { claimedAt, failure }: { claimedAt: Date; failure: ProposalFailure | null },
): Promise<void> {
  const { state, decidedBy, decidedAt } = await getProposal(tx, id)
  // Another process may have claimed it since.
  if (state !== 'granted' || decidedAt?.getTime() !== claimedAt.getTime()) return
  const open = { state: 'open', by: null, at: null } as const
  await dropSecret(tx, id)
  await decideProposal(tx, id, failure ? { state: 'refused', by: decidedBy, at: decidedAt, failure } : open)
}

/** What the trigger says that marks the proposal. */
const isDone = (error: unknown) => (error as { code?: string }).code === 'KA001'

const FINAL: readonly string[] = [
  'payment_not_eligible',
  'payment_not_found',
  'validation_failed',
  'not_found',
]

/** Null after a failure that another try may fix. */
function failureOf(error: unknown): ProposalFailure | null {
  if (!(error instanceof AppError) || !FINAL.includes(error.code)) return null
  return error.details.reason === 'changed_meanwhile' ? 'changed_meanwhile' : 'impossible'
}

async function getProposal(tx: Tx, id: string): Promise<ProposalRecord> {
  return found(await lockProposal(tx, id), id)
}
