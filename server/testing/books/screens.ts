/** What each screen of the console costs PostgreSQL: every GET page, as an administrator and as a person of one large shop. */
import { openSession } from '../../access/sessions.ts'
import type { ConsolePage } from '../../console/page.ts'
import { CONSOLE_PAGES } from '../../console/pages.ts'
import { type Db, inTransaction, openDb } from '../../storage/db.ts'
import { type Desk, openAs, openBrowser, startDesk } from '../console.ts'
import { addressOf, type Examples, makeExamples } from '../console-examples.ts'
import { type Kassa, openShop, type Shop } from '../harness.ts'
import { type Lengths, lengthenLists } from './long-lists.ts'
import type { Scene } from './many-scene.ts'
import { type Cost, costOf, listen, type Sent } from './plans.ts'

export type ScreenCost = Cost & { bytes: number }

/** More of what a path can show, by its query. */
const ALSO: Record<string, readonly string[]> = {
  '/:world/payments': ['day=all', 'day=all&status=paid', 'q=12.00', 'q=Petrosyan', 'q=zzzzzz'],
  '/:world/totals': ['by=month'],
  '/:world/shops/:merchant/totals': ['by=month'],
  '/:world/counter': ['q=12.00', 'q=zzzz'],
  '/:world/shops/:merchant/orders': ['way=new', 'way=sent'],
  '/:world/shops/:merchant/events': ['day=today', 'state=exhausted', 'state=unaddressed'],
  '/:world/shops/:merchant/subscriptions': ['status=cancelled'],
  '/:world/shops': ['q=zzzz'],
  '/:world/shops/:merchant/products': ['q=zzzz'],
  '/:world/users': ['q=zzzz'],
  '/:world/audit': ['who=nobody', 'day=today'],
  '/:world/approvals': ['all=yes'],
  '/:world/desk': ['kind=undecided'],
}

export type Screens = {
  /** Makes the lists as long as they are with so many payments. */
  lengthen(payments: number): Promise<void>
  /** The higher cost of each: planned for its values, or planned once for all values. */
  costs(): Promise<Map<string, ScreenCost>>
  close(): Promise<void>
}

/** What grows with a deployment beside its payments. */
const SHARES = {
  orders: 10,
  events: 4,
  subscriptions: 100,
  audit: 20,
  cases: 4_000,
  approvals: 4_000,
  merchants: 2_000,
  accounts: 4_000,
  products: 1_000,
  people: 2_000,
  reviews: 4_000,
  names: 1_000,
} as const
const lengthsAmong = (payments: number): Lengths =>
  Object.fromEntries(Object.entries(SHARES).map(([kind, each]) => [kind, Math.ceil(payments / each)]))

export async function openScreens({ kassa, shops }: Scene): Promise<Screens> {
  const [shop] = shops
  if (!shop) throw new Error('The scene has no shops.')
  const desk = await startDesk(kassa.worlds)
  // It has one of each thing, so a page of it that reads much reads what belongs to others.
  const small = await openShop(kassa.ctx)
  const examples = await makeExamples(kassa, shop, small)
  const { id: administrator } = await openAs(kassa.ctx, desk, {
    role: 'administrator',
    email: 'a@pay.example',
  })
  const ownerOf = async ({ merchantId }: Shop, name: string) =>
    (await openAs(kassa.ctx, desk, { role: 'shop', email: `${name}@shop.example`, merchantId, name })).id
  const visitors = {
    administrator,
    owner: await ownerOf(shop, 'owner'),
    'owner of a small shop': await ownerOf(small, 'small'),
  }
  let lengths: Lengths = {}
  return {
    async lengthen(payments) {
      const to = lengthsAmong(payments)
      await lengthenLists(kassa, { shop, examples, from: lengths, to })
      lengths = to
    },
    async costs() {
      const found = new Map<string, ScreenCost>()
      const db = openDb(kassa.databaseUrl, { world: 'sandbox', max: 1 })
      for (const [who, id] of Object.entries(visitors)) {
        const isSmall = id === visitors['owner of a small shop']
        const choose: Choose = (_key, { own, foreign }) => (isSmall ? (foreign ?? own) : own)
        for (const address of addressesOf(CONSOLE_PAGES, examples, choose)) {
          const cost = await costOfScreen({ kassa, desk, db, id }, address)
          if (cost) found.set(`${who} ${nameOf(address, examples)}`, cost)
        }
      }
      await db.end()
      return found
    },
    close: () => desk.close(),
  }
}

type Choose = Parameters<typeof addressOf>[2]

function addressesOf(pages: readonly ConsolePage[], examples: Examples, choose: Choose): string[] {
  return pages
    .filter(({ method, needs }) => method === 'get' && needs !== 'nobody')
    .flatMap((page) => {
      const address = addressOf(page, examples, choose)
      return [address, ...(ALSO[page.path] ?? []).map((query) => `${address}?${query}`)]
    })
}

/** The address with the names of its parameters, because ids are different in each run. */
function nameOf(address: string, examples: Examples): string {
  const ids = Object.entries(examples).flatMap(([key, { own, foreign }]) =>
    [own, foreign ?? ''].map((id) => [id, key.replace(/.*:/, ':')] as const),
  )
  return ids.reduce((name, [id, key]) => (id.length > 12 ? name.replace(id, key) : name), address)
}

/** `db`: for what is asked again. */
type Visitor = { kassa: Kassa; desk: Desk; db: Db; id: string }

/** Returns null for a page that this person is led away from, or may not see. */
async function costOfScreen(
  { kassa, desk, db, id }: Visitor,
  address: string,
): Promise<(Cost & { bytes: number }) | null> {
  const { ctx } = kassa
  const browser = openBrowser(desk)
  const secret = await inTransaction(ctx.db, (tx) => openSession(tx, id, '127.0.0.1'))
  browser.cookies.set('kassa_console_session', secret)
  let [status, bytes] = [0, 0]
  const sent: Sent[] = await listen(ctx.db, async () => {
    const answer = await browser.get(address)
    ;[status, bytes] = [answer.status, answer.text.length]
  })
  if (status >= 500) throw new Error(`${address}: ${status}`)
  if (status !== 200) return null
  const both = [await costOf(db, sent, 'custom'), await costOf(db, sent, 'generic')]
  const [dearest] = both.sort((one, two) => two.blocks - one.blocks || two.ms - one.ms)
  return dearest ? { ...dearest, bytes } : null
}
