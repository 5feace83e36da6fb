/** The rows that may need a second person, as the proposals know them. A proposal stores the values of the row's input. */
import { z } from 'zod'
import type { Guarded } from '../operator/approvals/stake.ts'
import type { ActRow } from './act.ts'
import { rotateSecret } from './callbacks.ts'
import { issue, set } from './tokens.ts'

function guarded<Values extends object, Current extends object, Done>({
  name,
  secondPerson,
  shows,
  run,
}: ActRow<Values, Current, Done>): Guarded<Values, Done> {
  if (!secondPerson) throw new Error(`Bug! The row ${name} does not say what is at stake.`)
  return {
    ...secondPerson,
    shows,
    run: (ctx, given, actor, doer, secret) => run(ctx, given, { actor, doer, secret }),
  }
}

export const GUARDED_ACTS = {
  'callback rotate-secret': guarded(rotateSecret),
  'token issue': guarded(issue),
  'token set': guarded(set),
}

/** The values that a proposal may have. Nothing is done with others. */
export const STORED_ACTS = {
  'callback rotate-secret': z.strictObject(rotateSecret.input),
  'token issue': z.strictObject(issue.input),
  'token set': z.strictObject(set.input),
}
