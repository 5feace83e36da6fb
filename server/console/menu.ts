/** The menu: the one table of where the console's screens are. Each is shown to the roles whose act it is. */
import { type Act, may } from '../acts/policy.ts'
import type { World } from '../contract/health.ts'
import type { UserRecord } from '../storage/access/users.ts'
import type { ConsoleKey } from './words/translate.ts'

/** Somebody who is signed in, and the worlds that the deployment serves, the shown one first. */
export type ConsoleVisitor = {
  user: Pick<UserRecord, 'name' | 'role' | 'merchantId'>
  world: World
  worlds: readonly World[]
}

/** `shop`: the start of the addresses of a person's own shop; null for people of all shops. */
type Place = { world: string; shop: string | null }
type Entry = {
  title: ConsoleKey
  needs: Act
  /** Null: the entry is not for this person. */
  path(place: Place): string | null
  /** Beside the menu, and not in it. */
  isFirst?: boolean
}

const own =
  (end: string) =>
  ({ shop }: Place) =>
    shop === null ? null : shop + end
const all =
  (end: string) =>
  ({ world, shop }: Place) =>
    shop === null ? `/${world}/${end}` : null
const both =
  (end: string) =>
  ({ world }: Place) =>
    `/${world}/${end}`

const ENTRIES: readonly Entry[] = [
  { title: 'counterMenu', needs: 'payment list', path: both('counter'), isFirst: true },
  { title: 'todayTitle', needs: 'payment list', path: both('today'), isFirst: true },
  { title: 'paymentsTitle', needs: 'payment list', path: both('payments'), isFirst: true },
  { title: 'newLink', needs: 'link create', path: own('/link') },
  { title: 'deskTitle', needs: 'desk list', path: both('desk') },
  { title: 'approvalsTitle', needs: 'approval list', path: both('approvals') },
  { title: 'accountsTitle', needs: 'account list', path: all('accounts') },
  { title: 'ordersTitle', needs: 'order list', path: own('/orders') },
  { title: 'myShopTitle', needs: 'merchant show', path: own('') },
  {
    title: 'totalsTitle',
    needs: 'payment history',
    path: ({ world, shop }) => `${shop ?? `/${world}`}/totals`,
  },
  { title: 'statementsTitle', needs: 'reconcile list', path: both('statements') },
  { title: 'settingsTitle', needs: 'setting list', path: all('settings') },
  { title: 'systemTitle', needs: 'service doctor', path: both('system') },
  { title: 'usersTitle', needs: 'user list', path: both('users') },
  { title: 'auditTitle', needs: 'audit list', path: both('audit') },
  { title: 'shopsTitle', needs: 'merchant show', path: all('shops') },
  { title: 'reviewsTitle', needs: 'origin waiting', path: all('reviews') },
]

export type MenuEntry = { title: ConsoleKey; href: string; isFirst: boolean }

export function menuOf({ user, world }: ConsoleVisitor): MenuEntry[] {
  const shop = user.merchantId === null ? null : `/${world}/shops/${user.merchantId}`
  return ENTRIES.flatMap(({ title, needs, path, isFirst = false }) => {
    const href = may(user, needs) ? path({ world, shop }) : null
    return href === null ? [] : [{ title, href, isFirst }]
  })
}
