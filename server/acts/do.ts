/** Does an act, or says what it would do. Both faces call this, after they have checked the role and the second factor. */
import { z } from 'zod'
import type { Person } from '../audit/people.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { doOrRehearse } from '../operator/acts/rehearse.ts'
import { doOrProposeAny } from '../operator/approvals/approvals.ts'
import { type Fact, factsOf } from '../operator/approvals/facts.ts'
import type { Proposal } from '../operator/approvals/listing.ts'
import type { Handover } from '../operator/approvals/stake.ts'
import { aboveOwn, weigh } from '../operator/approvals/weigh.ts'
import type { AnyRow, Result } from './act.ts'
import { needsSecondPerson, type SecondPersonAct } from './policy.ts'

/** `handover`: what the proposer passes on, and nobody can read again later. */
export type Outcome = { result: Result } | { proposed: Proposal; handover: Handover }

/**
 * Returns the values if they are what the row accepts, whatever a face has let through.
 * @throws AppError validation_failed that names what does not fit
 */
function fitting(row: AnyRow, given: object): object {
  const { data, error } = z.strictObject(row.input).safeParse(given)
  const misfit: string | null = data ? (row.wrong?.(data) ?? null) : null
  if (data && misfit === null) return data
  const issues = (error?.issues ?? []).map(({ path, message }) => [path.join('.'), message] as const)
  const errors = Object.fromEntries(misfit === null ? issues : [[misfit, 'does not fit the other values.']])
  const message = Object.entries(errors).map(([name, problem]) => `${name} ${problem}`)
  throw new AppError('validation_failed', { message: message.join('\n'), errors })
}

/** Returns what the act will do, as the second person would read it. @throws AppError those of the act */
export async function previewAct(ctx: Context, person: Person, row: AnyRow, given: object): Promise<Fact[]> {
  const values = fitting(row, given)
  const args = row.secondPerson ? (await row.secondPerson.stake(ctx, values, person)).args : values
  return factsOf(row.shows, { ctx, args })
}

/** Does it, or stores a proposal if a second person is needed. @throws AppError those of the act */
export async function doAct(ctx: Context, person: Person, row: AnyRow, given: object): Promise<Outcome> {
  const { name } = row
  const values = fitting(row, given)
  const decided = needsSecondPerson(name)
    ? await doOrProposeAny(ctx, person, name, values)
    : { done: await runAlone(ctx, person, row, values) }
  if ('proposed' in decided) return decided
  const { done } = decided
  const known = row.onceKnown ? await row.onceKnown(ctx, done, values) : done
  return { result: await row.result(ctx, known, values) }
}

/**
 * Runs the act and keeps nothing of it. A secret would open nothing, so it is left out. `needsSecond`: null for an act that never needs
 * a second person.
 * @throws AppError those of the act
 */
export async function rehearseAct(ctx: Context, person: Person, row: AnyRow, given: object) {
  const values = fitting(row, given)
  const needsSecond = needsSecondPerson(row.name) ? await isAboveLimit(ctx, person, row.name, values) : null
  const { facts } = await doOrRehearse(
    ctx,
    { dryRun: true },
    async (own): Promise<Result> => row.result(own, await runAlone(own, person, row, values), values),
  )
  return { facts, needsSecond }
}

/** @throws AppError for an act that is above the person's own limit */
async function isAboveLimit(
  ctx: Context,
  person: Person,
  name: SecondPersonAct,
  values: object,
): Promise<boolean> {
  const { stake, isAbove, excess } = await weigh(ctx, person, name, values)
  if (stake && excess) throw aboveOwn(stake, excess)
  return isAbove
}

const runAlone = (ctx: Context, { id, name }: Person, row: AnyRow, values: object): Promise<unknown> =>
  row.run(ctx, values, { id, name, isApproved: false })
