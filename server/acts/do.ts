/** Does an act, or says what it would do. Both faces call this, after they have checked the role and the second factor. */
import type { Person } from '../audit/people.ts'
import type { Context } from '../context.ts'
import { doOrRehearse } from '../operator/acts/rehearse.ts'
import { doOrProposeAny } from '../operator/approvals/approvals.ts'
import { type Fact, factsOf } from '../operator/approvals/facts.ts'
import { GUARDED, type GuardedName } from '../operator/approvals/guarded.ts'
import type { Proposal } from '../operator/approvals/listing.ts'
import type { Handover } from '../operator/approvals/stake.ts'
import { aboveOwn, weigh } from '../operator/approvals/weigh.ts'
import type { AnyRow, Result } from './act.ts'

/** `handover`: what the proposer passes on, and nobody can read again later. */
export type Outcome = { result: Result } | { proposed: Proposal; handover: Handover }

/** The table of policies alone decides it: every act that it guards with a second person is in GUARDED. */
const isGuarded = (name: string): name is GuardedName => Object.hasOwn(GUARDED, name)

/** Returns what the act will do, as the second person would read it. @throws AppError those of the act */
export async function previewAct(ctx: Context, person: Person, row: AnyRow, given: object): Promise<Fact[]> {
  const args = row.secondPerson ? (await row.secondPerson.stake(ctx, given, person)).args : given
  return factsOf(row.shows, { ctx, args })
}

/** Does it, or stores a proposal if a second person is needed. @throws AppError those of the act */
export async function doAct(ctx: Context, person: Person, row: AnyRow, given: object): Promise<Outcome> {
  if (!isGuarded(row.name)) return { result: await runAlone(ctx, person, row, given) }
  const decided = await doOrProposeAny(ctx, person, row.name, given)
  if ('proposed' in decided) return decided
  return { result: await row.result(ctx, decided.done, given) }
}

/**
 * Runs the act and keeps nothing of it. A secret would open nothing, so it is left out.
 * @throws AppError those of the act
 */
export async function rehearseAct(ctx: Context, person: Person, row: AnyRow, given: object) {
  const needsSecond = await needsSecondPerson(ctx, person, row, given)
  const { facts } = await doOrRehearse(ctx, { dryRun: true }, (own) => runAlone(own, person, row, given))
  return { facts, needsSecond }
}

/** Null for an act that never needs one. */
async function needsSecondPerson(
  ctx: Context,
  person: Person,
  row: AnyRow,
  given: object,
): Promise<boolean | null> {
  if (!isGuarded(row.name)) return null
  const { stake, isAbove, excess } = await weigh(ctx, person, row.name, given)
  if (stake && excess) throw aboveOwn(stake, excess)
  return isAbove
}

async function runAlone(ctx: Context, person: Person, row: AnyRow, given: object): Promise<Result> {
  const done = await row.run(ctx, given, { actor: person.name, doer: { id: person.id, isApproved: false } })
  return row.result(ctx, done, given)
}
