/** What one person of a test proposes, and another one agrees to. */
import type { Context } from '../../context.ts'
import { doOrPropose } from '../../operator/approvals/approvals.ts'
import { type Granted, grantProposal } from '../../operator/approvals/grant.ts'
import type { ArgsOf, GuardedName } from '../../operator/approvals/guarded.ts'
import type { Proposer } from '../../operator/approvals/stake.ts'

/** Returns the id of the proposal. @throws Error if it was done at once */
export async function proposeAs<Name extends GuardedName>(
  ctx: Context,
  by: Proposer,
  name: Name,
  args: ArgsOf<Name>,
): Promise<string> {
  const decided = await doOrPropose(ctx, by, name, args)
  if (!('proposed' in decided)) throw new Error(`"${name}" was done at once.`)
  return decided.proposed.id
}

let acts = 0
/** Each call is an act of its own in the audit log. */
export function grantAs(ctx: Context, person: Proposer, id: string, now?: Date): Promise<Granted> {
  const act = {
    id: `act_${++acts}`,
    who: person.name,
    operator: person.id,
    from: 'test',
    what: 'approval grant',
  }
  return grantProposal(ctx, { person, act }, id, now)
}

/** Nobody, no proposal and no limit of the test before is left, so that the same people can be added again. */
export async function forgetPeople({ db }: Context): Promise<void> {
  for (const table of ['proposals', 'console_users', 'operators', 'approval_limits'])
    await db.query(`delete from kassa.${table}`)
}
