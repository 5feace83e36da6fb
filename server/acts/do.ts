/** Does an act, or says what it would do, for the roles that may. Both faces call this, after the second factor. */
import type { OneAct, Person } from '../audit/people.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { doOrRehearse } from '../operator/acts/rehearse.ts'
import { doOrProposeWeighed } from '../operator/approvals/approvals.ts'
import { type Fact, factsOf } from '../operator/approvals/facts.ts'
import type { Proposal } from '../operator/approvals/listing.ts'
import type { ActDoer, Handover, Proposer } from '../operator/approvals/stake.ts'
import { expectOwnLimit, type Weighed, weigh } from '../operator/approvals/weigh.ts'
import type { AnyRow, Result } from './act.ts'
import { fitting } from './fitting.ts'
import { may, needsSecondPerson, stakesOf } from './policy.ts'

/** `handover`: what the proposer passes on, and nobody can read again later. */
type Done = { result: Result } | { proposed: Proposal; handover: Handover }
/** `shown`: what the act does, as the second person reads it. */
export type Outcome = Done & { shown: Fact[] }

/** Returns what came of it: nothing yet if it waits for a second person. */
export const resultOf = (outcome: Done): Result => ('result' in outcome ? outcome.result : { facts: {} })

/**
 * An act with its values, worked out once: what it does, and whether a second person is needed. `bound`: the values with all that follows
 * from them.
 */
type Prepared = { values: object; bound: object; shown: Fact[]; weighed: Weighed | null }

/** @throws AppError those of the act, and for one that is above the person's own limit */
async function prepare(ctx: Context, person: Person, row: AnyRow, given: object): Promise<Prepared> {
  const { name, shows } = row
  const refused = (how = 'with these values') =>
    new AppError('validation_failed', {
      message: `The role ${person.role} may not do ${name} ${how}. Ask whoever runs the service.`,
    })
  // The faces have asked the table before. So a page or a command that has not gets no further than here.
  if (!may(person, name)) throw refused('at all')
  const values = fitting(row, given)
  if (row.allowed && !row.allowed(person, values)) throw refused()
  const weighed = needsSecondPerson(name) ? await weigh(ctx, person, name, values) : null
  // Only the proposer sees the secret that a proposal makes. So a person who could never see it may not propose the act.
  if (weighed?.isAbove && row.secondPerson?.opens && !may(person, 'approval secret')) throw refused()
  if (weighed) expectOwnLimit(weighed)
  const bound = weighed?.stake?.args ?? values
  return { values, bound, weighed, shown: await factsOf(shows, { ctx, args: bound }) }
}

/** Returns the act with its values, for which the console asks for the second factor; null if the role is enough. */
export async function oneActOf(
  ctx: Context,
  { name, factorFor }: AnyRow,
  given: object,
): Promise<OneAct | null> {
  if (stakesOf(name) === null) return null
  const args = factorFor ? await factorFor(ctx, given) : given
  return args && { what: name, world: ctx.world, args }
}

/** Does it, or stores a proposal if a second person is needed. @throws AppError those of the act */
export async function doAct(ctx: Context, person: Person, row: AnyRow, given: object): Promise<Outcome> {
  const { name } = row
  const { values, weighed, shown } = await prepare(ctx, person, row, given)
  const decided =
    weighed && needsSecondPerson(name)
      ? await doOrProposeWeighed(ctx, person, { name, args: values, weighed })
      : { done: await row.run(ctx, values, doerOf(person, false)) }
  if ('proposed' in decided) return { ...decided, shown }
  const { done } = decided
  const known = row.onceKnown ? await row.onceKnown(ctx, done, values) : done
  return { result: await row.result(ctx, known, values), shown }
}

/**
 * Runs the act and keeps nothing of it, as if a second person had granted it where one is needed. A secret would open nothing, so it is
 * left out. `needsSecond`: null for an act that never needs a second person.
 * @throws AppError those of the act
 */
export async function rehearseAct(ctx: Context, person: Person, row: AnyRow, given: object) {
  const { values, bound, weighed, shown } = await prepare(ctx, person, row, given)
  const needsSecond = weighed?.isAbove ?? null
  const about = weighed?.stake?.about ?? null
  if (row.asksOthers) return { facts: {}, textValues: {}, shown, needsSecond, about }
  const { facts, textValues } = await doOrRehearse(ctx, { dryRun: true }, async (own): Promise<Result> => {
    // Nothing is done, so nobody shows the second factor for it.
    const { id, name } = person
    const done = await (row.rehearse ?? row.run)(own, bound, doerOf({ id, name }, needsSecond === true))
    return row.result(own, done, values)
  })
  return { facts, textValues, shown, needsSecond, about }
}

const doerOf = ({ id, name, prove }: Proposer, isApproved: boolean): ActDoer => ({
  id,
  name,
  isApproved,
  ...(prove && { prove }),
})
