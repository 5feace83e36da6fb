/** What an act that may need a second person says about itself. */
import type { Person } from '../../audit/people.ts'
import type { Context } from '../../context.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import type { Returner } from '../../payments/return-limits.ts'
import type { Queryable } from '../../storage/db.ts'
import type { Shows } from './facts.ts'

export type StakedMoney = { amountMinor: number; currency: CurrencyCode }
/** What goes back to the buyer, and what went back of the payment before. */
export type Returns = { amountMinor: number; beforeMinor: number }

/**
 * `money`: null for what redirects money; what adds up counts with what was returned of the payment before. `sum`: what this act alone
 * moves. `args`: the values, bound to what the person saw.
 */
export type Stake<Args> = {
  money: StakedMoney | null
  sum?: StakedMoney
  /** Absent where nothing goes back. */
  returns?: Returns
  merchantId: string | null
  about: string
  args: Args
  /** One person alone may do it, whatever the limits are. */
  isFree?: boolean
  /** The first halves of what opens something, for the proposer. */
  handover?: Handover
}
/**
 * Who does an act. `id`: null for the host. `name`: how the timelines call whoever does it. `isApproved`: a second person has approved it.
 */
export type ActDoer = Proposer & { isApproved: boolean }
/** `prove`: for another act that follows from the first one. */
export type Proposer = Omit<Person, 'role'>

/** Whose limits a return of this person counts against. */
export const returnerBy = ({ id, isApproved }: Pick<ActDoer, 'id' | 'isApproved'>): Returner => ({
  id,
  tokenId: null,
  isAlone: !isApproved,
})

export type Handover = { link?: string | null; key?: string | null }

/** A secret that a granted act makes. It waits, sealed, for whoever has proposed the act. */
export type Secret = { kind: 'token' | 'webhookSecret'; text: string; merchantId: string; overlap?: string }

export type Opens<Args> = {
  /** Returns a new secret; null if the act makes none. */
  make(ctx: Context, args: Args): Promise<Secret | null>
}

/** What is read to see whether a proposal can still be granted. */
export type ProposalReader = Pick<Context, 'vault' | 'world' | 'clock'> & { db: Queryable }

export type Guarded<Args, Result> = {
  /** Several of one payment count together, so one act cannot be split into smaller ones. */
  addsUp?: boolean
  /**
   * How the person's own limit bounds it. `once`: by the amount of this act alone. `by_day`: by what goes back, of this payment and of
   * all payments of the day. Absent: it does not.
   */
  bounded?: 'once' | 'by_day'
  /** What is done are the values that `stake` has bound, also where nothing limits the act. So they are worked out once. */
  isBound?: boolean
  /** It counts for all worlds, so a limit of any of them is enough. */
  everyWorld?: boolean
  stake(ctx: Context, args: Args, person: Proposer | null): Promise<Stake<Args>>
  /** Whether what the proposer saw is different by now, so that it cannot be granted. */
  hasMoved(ctx: ProposalReader, args: Args): Promise<boolean>
  /** Whether both are the same wish, so that a second one is not proposed. Absent: if all values are equal that are shown. */
  isSame?(one: Args, other: Args): boolean
  /** What the second person reads of each value. */
  shows: Shows<Args>
  opens?: Opens<Args>
  /** The second halves of what opens something, which whoever grants passes on. */
  halves?(result: Result): Handover
  /** `secret`: the one that the act stores instead of a new one. */
  run(ctx: Context, args: Args, doer: ActDoer, secret?: string): Promise<Result>
}
