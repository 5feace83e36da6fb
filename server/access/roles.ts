/** Who may do what in the console: the one table of acts and roles. */
import type { UserRole } from '../audit/people.ts'
import { AppError } from '../errors.ts'

/** The roles that may do each act. A person of one merchant does it only for that merchant. */
export const ACTS = {
  /** The payments of today, and finding a single one. */
  'payment list': ['administrator', 'operator', 'shop', 'cashier', 'viewer'],
  /** The payments of other days, and totals. */
  'payment history': ['administrator', 'operator', 'shop', 'viewer'],
  'payment show': ['administrator', 'operator', 'shop', 'cashier', 'viewer'],
  /** What the provider has said of a payment: its numbers there, its attempts and its warnings. */
  'payment log': ['administrator', 'operator', 'shop', 'viewer'],
  /** The payments as a file. */
  'payment export': ['administrator', 'operator', 'shop', 'viewer'],
  'link create': ['administrator', 'operator', 'shop', 'cashier'],
  /** Up to the person's own limit. */
  'payment refund': ['administrator', 'operator', 'shop'],
  'payment returned': ['administrator', 'operator', 'shop'],
  /** The money of the manual route, up to the person's own limit. */
  'payment confirm': ['administrator', 'operator', 'shop'],
  'payment capture': ['administrator', 'operator', 'shop'],
  'payment void': ['administrator', 'operator', 'shop'],
  'payment cancel': ['administrator', 'operator', 'shop'],
  'payment resolve': ['administrator', 'operator'],
  'receipt retry': ['administrator', 'operator', 'shop'],
  /** A shop and what belongs to it. */
  'merchant show': ['administrator', 'operator', 'shop', 'viewer'],
  'product set': ['administrator', 'operator', 'shop'],
  'product remove': ['administrator', 'operator', 'shop'],
  'merchant brand': ['administrator', 'operator', 'shop'],
  'origin ask': ['administrator', 'operator', 'shop'],
  'origin withdraw': ['administrator', 'operator', 'shop'],
  'origin approve': ['administrator', 'operator'],
  'origin refuse': ['administrator', 'operator'],
  'origin waiting': ['administrator', 'operator', 'viewer'],
  'installation create': ['administrator', 'operator', 'shop'],
  'address retire': ['administrator', 'operator'],
  'order list': ['administrator', 'operator', 'shop', 'viewer'],
  'order move': ['administrator', 'operator', 'shop'],
  'order note': ['administrator', 'operator', 'shop'],
  'order mails': ['administrator', 'operator', 'shop'],
  /** In the console only the order book can be chosen, and only where nothing gets the news yet. */
  'callback set': ['administrator', 'operator', 'shop'],
  'callback verify': ['administrator', 'operator', 'shop'],
  'merchant copy': ['administrator', 'operator'],
  /** What is set for the whole deployment. */
  'setting list': ['administrator', 'operator', 'viewer'],
  /** The settings of a shop, as the commands have them. */
  'merchant create': ['administrator', 'operator'],
  'merchant rename': ['administrator', 'operator'],
  'merchant pause': ['administrator', 'operator'],
  'merchant close': ['administrator', 'operator'],
  'merchant resume': ['administrator', 'operator'],
  'merchant routes': ['administrator', 'operator'],
  /** Any receiver of a shop's events, at any time. */
  'callback address': ['administrator', 'operator'],
  'callback rotate-secret': ['administrator', 'operator'],
  /** Ends the replaced secrets of an overlap at once. */
  'callback end-secret': ['administrator', 'operator'],
  /** Calls of the API may carry the origin. */
  'origin add': ['administrator', 'operator'],
  'origin remove': ['administrator', 'operator'],
  'origin disapprove': ['administrator', 'operator'],
  'installation allow': ['administrator', 'operator'],
  'installation forbid': ['administrator', 'operator'],
  'installation shop': ['administrator', 'operator'],
  'installation checkout': ['administrator', 'operator'],
  'installation revoke': ['administrator', 'operator'],
  'token issue': ['administrator', 'operator'],
  'token rotate': ['administrator', 'operator'],
  'token set': ['administrator', 'operator'],
  'token revoke': ['administrator', 'operator'],
  'subscription list': ['administrator', 'operator', 'shop', 'viewer'],
  'subscription cancel': ['administrator', 'operator', 'shop'],
  'reconcile list': ['administrator', 'operator', 'viewer'],
  'reconcile statement': ['administrator', 'operator'],
  'reconcile format': ['administrator', 'operator'],
  'reconcile withdraw': ['administrator', 'operator'],
  'service doctor': ['administrator', 'operator', 'viewer'],
  'desk list': ['administrator', 'operator', 'viewer'],
  'desk decide': ['administrator', 'operator'],
  'event list': ['administrator', 'operator', 'shop', 'viewer'],
  'event replay': ['administrator', 'operator', 'shop'],
  /** The bank account of a shop. Somebody else approves it. */
  'account ask': ['administrator', 'operator', 'shop'],
  /** The public name of a shop that takes real money. Somebody else approves it. */
  'name ask': ['administrator', 'operator', 'shop'],
  'account list': ['administrator', 'operator', 'viewer'],
  'account test': ['administrator', 'operator'],
  'account set': ['administrator', 'operator'],
  'account rotate': ['administrator', 'operator'],
  'account allow': ['administrator', 'operator'],
  'account retire': ['administrator', 'operator'],
  'approval list': ['administrator', 'operator', 'viewer'],
  'approval grant': ['administrator', 'operator'],
  'approval refuse': ['administrator', 'operator'],
  /** What an own proposal has made, once. */
  'approval secret': ['administrator', 'operator'],
  'audit list': ['administrator', 'operator', 'viewer'],
  'audit verify': ['administrator', 'operator'],
  'approval limit': ['administrator'],
  'customer forget': ['administrator'],
  'restore end': ['administrator', 'operator'],
  'mail list': ['administrator', 'operator', 'viewer'],
  'mail resend': ['administrator', 'operator'],
  'mail check': ['administrator', 'operator'],
  'operation list': ['administrator', 'operator', 'viewer'],
  'receipt list': ['administrator', 'operator', 'viewer'],
  'saved-method revoke': ['administrator', 'operator'],
  /** In the sandbox alone. */
  'clock advance': ['administrator', 'operator'],
  'user list': ['administrator'],
  'user add': ['administrator'],
  'user set': ['administrator'],
  'user reset': ['administrator'],
  'user remove': ['administrator'],
} as const satisfies Record<string, readonly UserRole[]>
export type Act = keyof typeof ACTS

/** What these roles do is always about one merchant. */
export const SHOP_ROLES: readonly UserRole[] = ['shop', 'cashier']

export function may({ role }: { role: UserRole }, act: Act): boolean {
  return (ACTS[act] as readonly UserRole[]).includes(role)
}

/** Returns the roles that may do it, the nearest to a shop first. */
export function rolesFor(act: Act): readonly UserRole[] {
  return ACTS[act].toReversed()
}

/** Whether the proposal of an act may come from this role. Acts that the console does not have come from the command line alone. */
export function mayPropose({ role }: { role: UserRole }, act: string): boolean {
  const roles: readonly UserRole[] = Object.hasOwn(ACTS, act)
    ? ACTS[act as Act]
    : ['administrator', 'operator']
  return roles.includes(role)
}

/** @throws AppError not_found for another merchant: its things answer as things that do not exist */
export function expectOwn({ merchantId }: { merchantId: string | null }, owner: string | undefined): void {
  if (owner === undefined || (merchantId !== null && merchantId !== owner)) throw new AppError('not_found')
}
