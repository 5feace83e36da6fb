/**
 * A second person for what moves or redirects money by hand, in worlds with a limit. What one person wants becomes a stored proposal,
 * and another person grants it.
 * Rule: it is done once. The transaction that does it marks the proposal, so a race or a crash cannot do it twice.
 */
import { fitting } from '../../acts/fitting.ts'
import { GUARDED_ROWS } from '../../acts/guarded.ts'
import { isDecider } from '../../audit/people.ts'
import { type Context, systemClock } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { newSharedId } from '../../id.ts'
import { notifyOfProposal } from '../../notices/notify.ts'
import { listUsers } from '../../storage/access/users.ts'
import {
  insertProposal,
  listProposalsAbout,
  lockProposalsAbout,
  type ProposalRecord,
} from '../../storage/audit/proposals.ts'
import { inTransaction, type Tx } from '../../storage/db.ts'
import type { ArgsOf, GuardedName, ResultOf } from './guarded.ts'
import { type Proposal, withNames } from './listing.ts'
import { expectNamed } from './refusal.ts'
import type { Handover, ProposalReader, Proposer, Stake } from './stake.ts'
import { readStored } from './stored.ts'
import { type AnyRow, expectOwnLimit, rowOf, type Weighed, weigh } from './weigh.ts'

export const EXPIRES_MS = 24 * 3_600_000

/** `handover`: what the proposer passes on, and nobody can read again later. */
export type Decided<Result> = { done: Result } | { proposed: Proposal; handover: Handover }

/**
 * Does it, or stores a proposal if a second person is needed.
 * @throws AppError validation_failed for values that the act does not accept; those of the act
 */
export async function doOrPropose<Name extends GuardedName>(
  ctx: Context,
  person: Proposer,
  name: Name,
  args: ArgsOf<Name>,
): Promise<Decided<ResultOf<Name>>> {
  const rows: Partial<Record<string, Parameters<typeof fitting>[0]>> = GUARDED_ROWS
  const row = rows[name]
  const values = row ? fitting(row, args) : args
  const weighed = await weigh(ctx, person, name, values)
  return doOrProposeWeighed(ctx, person, { name, args: values, weighed }) as Promise<Decided<ResultOf<Name>>>
}

/** The same for values that were found to fit and weighed already. */
export async function doOrProposeWeighed(
  ctx: Context,
  person: Proposer,
  { name, args, weighed }: { name: GuardedName; args: object; weighed: Weighed },
): Promise<Decided<unknown>> {
  const row = rowOf(name)
  const { stake, isAbove } = expectOwnLimit(weighed)
  if (!stake || !isAbove) {
    // What is free is free of what it was weighed against. Bound to that, it is refused if somebody changes it meanwhile.
    const bound = stake && (stake.isFree || row.isBound) ? stake.args : args
    return { done: await row.run(ctx, bound, { id: person.id, name: person.name, isApproved: false }) }
  }
  await person.prove?.({ what: name, world: ctx.world, args })
  return { proposed: await propose(ctx, person, name, stake), handover: stake.handover ?? {} }
}

/**
 * Stores a proposal whatever the limits, for what always needs a second person. `makeRoom` runs before it in the same transaction. What
 * it returns stands already, and nothing is stored.
 * @throws AppError those of the act, what `makeRoom` throws
 */
export async function proposeAlways<Name extends GuardedName>(
  ctx: Context,
  person: Proposer,
  name: Name,
  { args, ...more }: Waiting & { args: ArgsOf<Name> },
): Promise<Proposal> {
  const stake = await rowOf(name).stake(ctx, args, person)
  await person.prove?.({ what: name, world: ctx.world, args })
  return propose(ctx, person, name, stake, more)
}

type Waiting = { lastsMs: number; makeRoom: (tx: Tx) => Promise<ProposalRecord | null> }

async function propose(
  ctx: Context,
  person: Proposer,
  what: string,
  { about, merchantId, args, sum, handover }: Stake<object>,
  { lastsMs = EXPIRES_MS, makeRoom }: Partial<Waiting> = {},
): Promise<Proposal> {
  const proposedBy = expectNamed(person)
  const now = systemClock.now()
  const id = newSharedId('apr', now)
  const values = JSON.stringify(args)
  if (!readStored(what, JSON.parse(values)))
    throw new Error(`Bug! Nobody could grant these values of ${what}.`)
  const { keyId, sealed } = ctx.vault.seal(values, [ctx.world, id, 'proposal'])
  const times = { proposedAt: now, expiresAt: new Date(now.getTime() + lastsMs) }
  const money = { amountMinor: sum?.amountMinor ?? null, currency: sum?.currency ?? null }
  const record = { id, what, about, merchantId, proposedBy, ...times, ...money }
  const findStanding =
    makeRoom ?? ((tx: Tx) => findSame(ctx, tx, { what, about, proposedBy, args, handover }))
  const standing = await inTransaction(ctx.db, async (tx) => {
    const found = await findStanding(tx)
    if (found) return found
    await insertProposal(tx, { ...record, keyId, sealed })
    const others = (await listUsers(tx)).filter((each) => isDecider(each) && each.id !== proposedBy)
    await notifyOfProposal(ctx, tx, others, id)
    return null
  })
  const [known] = standing ? await withNames(ctx, [standing]) : []
  if (known) return known
  const undecided = {
    ...({ state: 'open', decidedBy: null, decidedAt: null, decider: null } as const),
    refusedWhy: null,
    failure: null,
    hasSecret: false,
  }
  return { ...record, world: ctx.world, ...undecided, proposer: person.name }
}

type NewProposal = Pick<Stake<object>, 'about' | 'args'> & {
  what: string
  proposedBy: string
  handover: Handover | undefined
}

/**
 * The same act is not proposed twice, unless the first one cannot be granted any more. Returns the person's own proposal with the same
 * values, which a second press finds; null if there is none.
 * @throws AppError proposed_already as a reason, with the first proposal
 */
async function findSame(ctx: Context, tx: Tx, wish: NewProposal): Promise<ProposalRecord | null> {
  const { what, about, proposedBy, args, handover } = wish
  const [subject = ''] = about.split(' ')
  await lockProposalsAbout(tx, subject)
  const waiting = await listProposalsAbout(tx, subject, systemClock.now())
  let first: ProposalRecord | null = null
  for (const each of waiting) if (await isStillSame({ ...ctx, db: tx }, each, { what, args })) first = each
  if (!first) return null
  const isOwn = first.proposedBy === proposedBy && first.state === 'open'
  if (isOwn && !handover && JSON.stringify(valuesOf(ctx, first)) === JSON.stringify(args)) return first
  const [{ proposer } = { proposer: '' }] = await withNames({ db: tx }, [first])
  throw new AppError('validation_failed', {
    reason: 'proposed_already',
    about: { approval: first.id, proposer },
    message: `${proposer} has proposed this already: ${first.id}, ${first.what}, ${first.about}. Nothing new was proposed. Grant or refuse that one first, or take it back.`,
  })
}

const shownOf = (row: AnyRow, args: object): string => {
  const { shows } = row as { shows: Record<string, unknown> }
  return JSON.stringify(
    Object.entries(args)
      .filter(([name]) => shows[name] !== 'bound')
      .sort(),
  )
}

/** Whether the proposal that waits is the same wish, and could still be granted. */
async function isStillSame(
  ctx: ProposalReader,
  record: ProposalRecord,
  { what, args }: Pick<NewProposal, 'what' | 'args'>,
): Promise<boolean> {
  const row = rowOf(what)
  const values = record.what === what ? valuesOf(ctx, record) : null
  if (!row || !values) return false
  const isSame = row.isSame ? row.isSame(args, values) : shownOf(row, args) === shownOf(row, values)
  return isSame && !(await row.hasMoved(ctx, values))
}

/**
 * Returns the values of a proposal; null for one that was decided, and for values that this version cannot carry out.
 * @throws Error if SECRETS_KEY lacks the key that sealed them
 */
export function valuesOf(
  { vault, world }: Pick<Context, 'vault' | 'world'>,
  { id, what, keyId, sealed }: Pick<ProposalRecord, 'id' | 'what' | 'keyId' | 'sealed'>,
): object | null {
  if (!keyId || !sealed) return null
  return readStored(what, JSON.parse(vault.open({ keyId, sealed }, [world, id, 'proposal'])))
}
