/** What the examples of the rows are about. `testing/acts/scene.ts` makes it. */
import type { UserRole } from '../audit/people.ts'
import type { LimitChanges } from '../merchants/token-limits.ts'
import type { RefundLimits } from '../storage/access/users.ts'

export type Scene = {
  /** A shop that nothing else uses. */
  merchantId: string
  /** Replaces the secret that signs the shop's events. The old one still signs for a week. */
  rotateSecret(): Promise<unknown>
  /** A payment of 19.00 USD that a provider has taken. Returns its id. */
  paid(): Promise<string>
  /** The same, and the service has not heard of it. */
  paidSilently(): Promise<string>
  /** One that a provider holds until somebody takes or releases it. */
  held(): Promise<string>
  /** A payment of 19.00 USD by transfer. `isPaid`: its money has arrived. Returns its id. */
  byHand(how?: { isPaid: boolean }): Promise<string>
  /** A refund of which nobody knows whether it was made. Returns its id. */
  undecided(): Promise<string>
  /** A payment method that a buyer of the shop has saved. Returns its id. */
  savedMethod(): Promise<string>
  /** An account of the shop's own. Returns its id. */
  account(): Promise<string>
  /** Settings of a contract at the simulated bank that nobody has. */
  contract(): { CUSTOMER: string; SECRET: string }
  /** Returns an account of the deployment that no shop may use, or that the shop may use. */
  sharedAccount(how: { allowed: boolean }): Promise<string>
  /** Returns the e-mail address of somebody who has paid. */
  buyer(): Promise<string>
  /** Returns a mail that was given up. */
  failedMail(): Promise<string>
  /** Opens the state after a restore, until somebody ends it. */
  restored(): Promise<unknown>
  /** An e-mail address that nobody has. */
  email(): string
  /** A person whose e-mail address is known. Returns the id. */
  person(role: UserRole): Promise<string>
  /** A subscription to be charged each month. Returns its id. */
  subscription(): Promise<string>
  /** A fiscal receipt of which nobody knows whether it was printed. */
  stuckReceipt(): Promise<{ paymentId: string; receiptId: string }>
  /** An order of the shop's order book. Returns the shop's order id. */
  order(): Promise<string>
  /** An address that the shop has asked to be reviewed. */
  addressToReview(): Promise<string>
  /** The name of a short address that was approved before. */
  shortAddress(): Promise<string>
  /** An event of the shop that was due since some time. */
  sentEvent(): Promise<{ eventId: string; paymentId: string; sentAt: Date }>
  /** Sends the events of the shop to a receiver that accepts the right ones alone. */
  receiver(): Promise<unknown>
  /** A proposal of another person. Returns its id. */
  proposal(): Promise<string>
  /** A payment with a warning that somebody should read. Returns its id. */
  warned(): Promise<string>
  /** A token of which a limit has refused a call. Returns its id. */
  refusedToken(): Promise<string>
  /** A statement that was compared, with a difference that is open. */
  statement(): Promise<{ accountId: string; statement: string; differenceId: string }>
  /** Pauses the shop. */
  stop(): Promise<unknown>
  /** Lets calls of the API carry an origin, whose domain was reviewed too. */
  origin(): Promise<string>
  /** Makes a public key for these origins; by default for two. Returns its id. */
  installation(origins?: string[]): Promise<string>
  /** Two limits of refunds, of which the second one is higher. */
  limits: readonly [RefundLimits, RefundLimits]
  /** Issues a token of the shop, which may do everything. Without limits it may return any amount. */
  token(limits?: LimitChanges): Promise<{ tokenId: string; token: string }>
}
