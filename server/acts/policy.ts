/** Reads the table of policies: who may do an act, and how it is guarded. */
import type { UserRole } from '../audit/people.ts'
import type { Policy, Stakes } from './guards.ts'
import { POLICY } from './policies.ts'

export type Act = keyof typeof POLICY
/** The acts that may need a second person. */
export type SecondPersonAct = {
  [Name in Act]: (typeof POLICY)[Name]['guard'] extends 'person' ? Name : never
}[Act]

export const needsSecondPerson = (act: Act): act is SecondPersonAct => POLICY[act].guard === 'person'

/** Returns the row of an act; undefined for an act that nobody knows. */
const policyOf = (act: string): Policy | undefined =>
  Object.hasOwn(POLICY, act) ? POLICY[act as Act] : undefined

export function may({ role }: { role: UserRole }, act: Act): boolean {
  return POLICY[act].roles.includes(role)
}

/** Whether this role may do what a stored proposal names. */
export function mayPropose({ role }: { role: UserRole }, what: string): boolean {
  return policyOf(what)?.roles.includes(role) ?? false
}

/** Returns the roles that may do it, the nearest to a shop first. */
export const rolesFor = (act: Act): readonly UserRole[] => POLICY[act].roles.toReversed()

/** The roles that have a key for the command line, the weakest first. */
const KEYED = ['viewer', 'operator', 'administrator'] as const

/** Returns the weakest role whose key may run the command of this act; `host` if no key is needed. */
export function keyRoleFor(act: Act): (typeof KEYED)[number] | 'host' {
  return KEYED.find((role) => POLICY[act].roles.includes(role)) ?? 'host'
}

/**
 * Whether processes decide by what the act changes: where money goes, what it costs, or who may still ask for it. They keep that in
 * memory for a moment.
 */
export function isKeptInMemory(act: string): boolean {
  return policyOf(act)?.isEnding === true || stakesOf(act) === 'redirect'
}

/** Returns what the act has at stake, if the console asks for the second factor; null if the role is enough. */
export function stakesOf(act: string): Stakes | null {
  const policy = policyOf(act)
  return policy && policy.guard !== 'none' ? policy.stakes : null
}
