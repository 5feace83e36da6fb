/** What a line of the table of policies can say: the roles, and how an act is guarded. */
import type { UserRole } from '../audit/people.ts'

/**
 * `none`: the role is enough. `factor`: in the console the second factor too. `person`: besides, while a limit is set, a second person
 * grants it. What an act does decides within its row: an amount up to the limit, or a limit that falls, needs no second person.
 */
export type Guard = 'none' | 'factor' | 'person'

/**
 * `money`: it moves money. `redirect`: it decides where money goes, who hears of it, or who may move it. The second factor is
 * remembered for each of the two.
 */
export type Stakes = 'money' | 'redirect'

/**
 * `roles`: who may do it; a person of one shop does it only for that shop. The host, which needs no key, may do everything. `isEnding`:
 * it ends or lowers something.
 */
export type Policy = { roles: readonly UserRole[]; why: string; isEnding?: true } & (
  | { guard: 'none' }
  | { guard: 'factor' | 'person'; stakes: Stakes }
)

export const EVERYBODY: readonly UserRole[] = ['administrator', 'operator', 'shop', 'cashier', 'viewer']
export const SHOP_AND_VIEWERS: readonly UserRole[] = ['administrator', 'operator', 'shop', 'viewer']
export const SHOP_AND_CASHIERS: readonly UserRole[] = ['administrator', 'operator', 'shop', 'cashier']
export const SHOP: readonly UserRole[] = ['administrator', 'operator', 'shop']
export const OPERATORS_AND_VIEWERS: readonly UserRole[] = ['administrator', 'operator', 'viewer']
export const OPERATORS: readonly UserRole[] = ['administrator', 'operator']
export const ADMINISTRATORS: readonly UserRole[] = ['administrator']
/** A command that is run on the machine without a key: timers and upgrades have none, and a key can be lost. */
export const HOST: readonly UserRole[] = []

type Roles = readonly UserRole[]
export const free = (roles: Roles, why: string) => ({ roles, guard: 'none', why }) as const
export const factor = (roles: Roles, stakes: Stakes, why: string) =>
  ({ roles, guard: 'factor', stakes, why }) as const
export const secondPerson = (roles: Roles, stakes: Stakes, why: string) =>
  ({ roles, guard: 'person', stakes, why }) as const

export const reads = (roles: Roles) => free(roles, 'It only reads.')
export const sells = (roles: Roles) => free(roles, 'It moves no money, and redirects none.')
export const ends = (roles: Roles) =>
  ({ ...free(roles, 'It ends or lowers something, which is never guarded.'), isEnding: true }) as const
export const onTheHost = (roles: Roles) =>
  free(roles, 'Whoever runs commands on the machine could read and change the whole database.')
