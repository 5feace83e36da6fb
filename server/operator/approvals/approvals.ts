/**
 * A second person for what moves or redirects money by hand, in worlds with a limit. What one person wants becomes a stored proposal,
 * and another person grants it.
 * Rule: it is done once. The transaction that does it marks the proposal, so a race or a crash cannot do it twice.
 */
import type { Person } from '../../audit/people.ts'
import { type Context, systemClock } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { newSharedId } from '../../id.ts'
import { actingOn } from '../../storage/audit/act.ts'
import type { Act } from '../../storage/audit/log.ts'
import { findOperator, listOperatorNames } from '../../storage/audit/operators.ts'
import {
  decideProposal,
  findProposal,
  finishProposal,
  insertProposal,
  listProposals,
  lockProposal,
  type ProposalFailure,
  type ProposalPage,
  type ProposalRecord,
} from '../../storage/audit/proposals.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import { expectGrantable } from './grantable.ts'
import type { ArgsOf, GuardedName, ResultOf } from './guarded.ts'
import { expectNamed, found, refused } from './refusal.ts'
import type { Handover, Stake } from './stake.ts'
import { expectStillMay } from './still-may.ts'
import { type AnyRow, aloneIn, rowOf, weigh } from './weigh.ts'

export const EXPIRES_MS = 24 * 3_600_000

export type Proposal = Omit<ProposalRecord, 'keyId' | 'sealed'> & { proposer: string; decider: string | null }
/** `handover`: what the proposer passes on, and nobody can read again later. */
export type Decided<Result> = { done: Result } | { proposed: Proposal; handover: Handover }

/** Does it, or stores a proposal if a second person is needed. @throws AppError those of the act */
export async function doOrPropose<Name extends GuardedName>(
  ctx: Context,
  person: Person,
  name: Name,
  args: ArgsOf<Name>,
): Promise<Decided<ResultOf<Name>>> {
  const row = rowOf(name) as AnyRow
  const { stake, limit, isAbove } = await weigh(ctx, person, name, args)
  if (!stake || !isAbove) {
    const done = await row.run(
      ctx,
      stake ? { ...(args as object), ...aloneIn(row, limit, args) } : args,
      person.name,
      { id: person.id, isApproved: false },
    )
    return { done: done as ResultOf<Name> }
  }
  await person.prove?.({ what: name, world: ctx.world, args: args as object })
  return { proposed: await propose(ctx, person, name, stake), handover: stake.handover ?? {} }
}

/**
 * Stores a proposal whatever the limits, for what always needs a second person. `makeRoom` runs before it in the same transaction. What
 * it returns stands already, and nothing is stored.
 * @throws AppError those of the act, what `makeRoom` throws
 */
export async function proposeAlways<Name extends GuardedName>(
  ctx: Context,
  person: Person,
  name: Name,
  { args, ...more }: Waiting & { args: ArgsOf<Name> },
): Promise<Proposal> {
  const stake = await (rowOf(name) as AnyRow).stake(ctx, args, person)
  await person.prove?.({ what: name, world: ctx.world, args: args as object })
  return propose(ctx, person, name, stake, more)
}

type Waiting = { lastsMs: number; makeRoom: (tx: Tx) => Promise<ProposalRecord | null> }

async function propose(
  ctx: Context,
  person: Person,
  what: string,
  { about, merchantId, args }: Stake<unknown>,
  { lastsMs = EXPIRES_MS, makeRoom = async () => null }: Partial<Waiting> = {},
): Promise<Proposal> {
  const proposedBy = expectNamed(person)
  const now = systemClock.now()
  const id = newSharedId('apr', now)
  const { keyId, sealed } = ctx.vault.seal(JSON.stringify(args), [ctx.world, id, 'proposal'])
  const times = { proposedAt: now, expiresAt: new Date(now.getTime() + lastsMs) }
  const record = { id, what, about, merchantId, proposedBy, ...times }
  const standing = await inTransaction(ctx.db, async (tx) => {
    const found = await makeRoom(tx)
    if (!found) await insertProposal(tx, { ...record, keyId, sealed })
    return found
  })
  const [known] = standing ? await withNames(ctx, [standing]) : []
  if (known) return known
  const undecided = {
    ...({ state: 'open', decidedBy: null, decidedAt: null, decider: null } as const),
    ...{ refusedWhy: null, failure: null },
  }
  return { ...record, world: ctx.world, ...undecided, proposer: person.name }
}

const LISTED_MAX = 500

/** Returns the proposals of the world that can be decided, or all, the newest first. */
export async function listApprovals(
  ctx: Context,
  {
    all,
    merchantId = null,
    what = null,
    after = null,
    limit = LISTED_MAX,
  }: Partial<ProposalPage> & { all: boolean },
): Promise<Proposal[]> {
  const found = await listProposals(ctx.db, { all, merchantId, what, after, limit, now: systemClock.now() })
  return withNames(ctx, found)
}

/** Shows proposals without their values, and with the names of the people. */
export async function withNames(ctx: Context, found: ProposalRecord[]): Promise<Proposal[]> {
  const ids = found.flatMap(({ proposedBy, decidedBy }) =>
    decidedBy ? [proposedBy, decidedBy] : [proposedBy],
  )
  const people = await listOperatorNames(ctx.db, ids)
  return found.map(({ keyId: _keyId, sealed: _sealed, ...record }) => ({
    ...record,
    proposer: people.get(record.proposedBy) ?? record.proposedBy,
    decider: record.decidedBy && (people.get(record.decidedBy) ?? record.decidedBy),
  }))
}

/**
 * Does what another person has proposed.
 * @throws AppError not_found; validation_failed for one's own proposal, or one that is decided or expired; request_in_progress while
 *   another process does it; those of the act, such as payment_not_eligible for a payment that has changed since
 */
export async function grantProposal(
  ctx: Context,
  { person, act }: { person: Person; act: Act },
  id: string,
  now: Date = systemClock.now(),
): Promise<{ what: string; about: string; result: unknown }> {
  if (person.prove) {
    // Only read: a lock would leave a row in the log, as if it were granted.
    expectGrantable(found(await findProposal(ctx.db, id), id), person, now)
    await person.prove({ what: 'approval grant', world: ctx.world, args: { id } })
  }
  const claimed = await inTransaction(ctx.db, (tx) => claim(tx, person, id, now))
  const { what, about, keyId, sealed } = claimed
  const proposer = (await findOperator(ctx.db, claimed.proposedBy)) ?? undefined
  try {
    const row = rowOf(what)
    if (!row || !keyId || !sealed) throw refused(`The proposal ${id} cannot be carried out by this version.`)
    const args = JSON.parse(ctx.vault.open({ keyId, sealed }, [ctx.world, id, 'proposal']))
    await expectStillMay(ctx, row, { proposal: claimed, proposer, args })
    const acting = { act: { ...act, what, proposal: id }, merchantId: claimed.merchantId, about: id }
    const own = { ...ctx, db: actingOn(ctx.db, acting, { isRecorded: true }) }
    const result = await row.run(own, args, `${proposer?.name}, approved by ${person.name}`, {
      ...{ id: claimed.proposedBy, isApproved: true },
    })
    await inTransaction(ctx.db, (tx) => finishProposal(tx, id))
    return { what, about, result }
  } catch (error) {
    await inTransaction(ctx.db, (tx) => release(tx, id, { claimedAt: now, failure: failureOf(error) }))
    throw isDone(error) ? refused(`The proposal ${id} was carried out already.`) : error
  }
}

async function claim(tx: Tx, person: Person, id: string, now: Date): Promise<ProposalRecord> {
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
