/** What an act that may need a second person says about itself. */
import type { Person } from '../../audit/people.ts'
import type { Context } from '../../context.ts'

/**
 * `money`: null for what redirects money; what adds up counts with what was returned of the payment before. `args`: the values, bound
 * to what the person saw.
 */
export type Stake<Args> = {
  money: { amountMinor: number; currency: string } | null
  merchantId: string | null
  about: string
  args: Args
  /** One person alone may do it, whatever the limits are. */
  isFree?: boolean
  /** The first halves of what opens something, for the proposer. */
  handover?: Handover
}
/** Who does it. `id`: null for the host. `isApproved`: a second person has approved it. */
export type Doer = { id: string | null; isApproved: boolean }
export type Handover = { link?: string; key?: string }

export type Guarded<Args, Result> = {
  /** Several of one payment count together, so one act cannot be split into smaller ones. */
  addsUp?: boolean
  /** It counts for all worlds, so a limit of any of them is enough. */
  everyWorld?: boolean
  stake(ctx: Context, args: Args, person: Person | null): Promise<Stake<Args>>
  /** `actor`: who decided, as the timelines show it. `doer`: whose limits it counts against. */
  run(ctx: Context, args: Args, actor: string, doer: Doer): Promise<Result>
}
