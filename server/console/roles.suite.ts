/**
 * Every page of the console, by request: each role does what the table of acts says, and nobody reaches another shop. `npm test` sends
 * for each page a request of somebody who may, of somebody who may not, and of a stranger, and of one person of a shop those that
 * name another shop. The roles and the things of the other shop take turns. `npm run test:long` sends those of everybody.
 */
import { brotliCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSession } from '../access/sessions.ts'
import { POLICY } from '../acts/policies.ts'
import { may } from '../acts/policy.ts'
import { approveOrigin } from '../merchants/origin.ts'
import { askReview } from '../operator/shop/reviews.ts'
import { inTransaction } from '../storage/db.ts'
import { type Answer, type Desk, openAs, openBrowser, startDesk } from '../testing/console.ts'
import {
  addressOf,
  type Example,
  type Examples,
  makeExamples,
  parametersOf,
} from '../testing/console-examples.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { storeShortAddress } from '../testing/pages/short-address.ts'
import type { ConsolePage } from './page.ts'
import { CONSOLE_PAGES } from './pages.ts'

const PAGE_BYTES_MAX = 60 * 1024

/** The people: those of all shops, and those of one. */
const PEOPLE = {
  administrator: { role: 'administrator', isBound: false },
  operator: { role: 'operator', isBound: false },
  viewer: { role: 'viewer', isBound: false },
  'viewer of one shop': { role: 'viewer', isBound: true },
  shop: { role: 'shop', isBound: true },
  cashier: { role: 'cashier', isBound: true },
} as const
type Name = keyof typeof PEOPLE
const NAMES = Object.keys(PEOPLE) as Name[]
const BOUND = NAMES.filter((name) => PEOPLE[name].isBound)

/** `isWhole`: whether every person tries everything. */
export function testRoles({ isWhole }: { isWhole: boolean }): void {
  let kassa: Kassa
  let desk: Desk
  let examples: Examples
  /** What forms may name of the other shop beside the ids of the examples, and the same that nobody has. A short name is public. */
  let things: { foreign: string; unknown: string }[]
  const ids = {} as Record<Name, string>
  beforeAll(async () => {
    kassa = await startKassa()
    desk = await startDesk(kassa.worlds)
    const [shop, other] = [await openShop(kassa.ctx), await openShop(kassa.ctx)]
    examples = await makeExamples(kassa, shop, other)
    await openReviews(shop, 'shop', examples['products/:product']?.own ?? '')
    await openReviews(other, 'them', examples['products/:product']?.foreign ?? '')
    const unknown = other.installationId.replace(/.{6}$/, '000000')
    things = [
      { foreign: other.installationId, unknown },
      { foreign: 'https://asked.them.example', unknown: 'https://asked.none.example' },
      { foreign: `example-${other.merchantId}`, unknown: `example-${shop.merchantId.slice(0, -6)}000000` },
    ]
    for (const name of NAMES) {
      const { role, isBound } = PEOPLE[name]
      const merchantId = isBound ? shop.merchantId : null
      const email = `${name.replaceAll(' ', '-')}@shop.example`
      ids[name] = (await openAs(kassa.ctx, desk, { role, email, merchantId, name })).id
    }
  })
  afterAll(async () => {
    await desk.close()
    await kassa.close()
  })

  /** What waits for a review, and what can be used at once, so that each has its forms. */
  async function openReviews(sold: Shop, name: string, productId: string) {
    const { merchantId } = sold
    await askReview(kassa.ctx, merchantId, `https://asked.${name}.example`)
    await approveOrigin(kassa.ctx, merchantId, `https://approved.${name}.example`)
    await storeShortAddress(kassa.ctx.db, sold, { name: `name-of-${name}`, productId })
  }

  type Visited = Pick<ConsolePage, 'method'> & Partial<ConsolePage> & { form?: Record<string, string> }

  const open = (name: Name) => inTransaction(kassa.ctx.db, (tx) => openSession(tx, ids[name], '127.0.0.1'))
  const sessions = new Map<Name, Promise<string>>()
  /** The session that a person has for all visits that leave it open. */
  function sessionOf(name: Name): Promise<string> {
    const found = sessions.get(name) ?? open(name)
    sessions.set(name, found)
    return found
  }

  async function visit(name: Name | null, address: string, page: Visited): Promise<Answer> {
    const browser = openBrowser(desk)
    const isLeftOpen = page.path !== '/sign-out' && page.needs !== 'nobody'
    if (name !== null)
      browser.cookies.set('kassa_console_session', await (isLeftOpen ? sessionOf(name) : open(name)))
    const answer = await (page.method === 'get'
      ? browser.get(address)
      : browser.post(address, page.form ?? {}))
    // Else the next answers would be those to a stranger, and two of them are always the same.
    if (name !== null && isLeftOpen && /^\/sign-in/.test(answer.location ?? ''))
      throw new Error(`The session of the ${name} had ended at ${address}.`)
    return answer
  }

  /** Pages are asked for at once. A form may change what the next answer shows, so forms go one after the other. */
  async function visitAll<Given, Got>(
    { method }: Visited,
    all: readonly Given[],
    go: (one: Given) => Promise<Got>,
  ): Promise<Got[]> {
    if (method === 'get') return Promise.all(all.map(go))
    const answers: Got[] = []
    for (const one of all) answers.push(await go(one))
    return answers
  }

  /** What a visitor can tell two answers apart by. The ids of the address are not among it, because the visitor has typed them. */
  function shapeOf({ status, location, text }: Answer, address: string): string {
    const typed = address.split(/[/?&=]/).filter((part) => part.length > 8)
    const blank = (given: string) => typed.reduce((rest, part) => rest.replaceAll(part, 'TYPED'), given)
    // A form may have a random key of its own, or a random question.
    return blank(`${status} ${location} ${text.replaceAll(/name="(once|again)" value="[^"]*"/g, '')}`)
  }

  /** A page that is small enough as it is needs no compression, which takes longer than the page. */
  function weightOf(text: string): number {
    const bytes = Buffer.byteLength(text)
    return bytes < PAGE_BYTES_MAX ? bytes : brotliCompressSync(text).length
  }

  /** Returns where two texts begin to differ, because a whole page says too little. */
  function differenceOf(one: string, two: string): string[] {
    if (one === two) return []
    let at = 0
    while (one[at] === two[at]) at++
    return [one, two].map((text) => text.slice(Math.max(0, at - 120), at + 120))
  }

  const OWN_PAGES = CONSOLE_PAGES.filter(({ needs }) => needs !== 'nobody')
  /** Returns one of them, or `count` of them: another for each page. */
  const inTurn = <Each>(page: ConsolePage, all: readonly Each[], count = 1): Each[] =>
    Array.from({ length: Math.min(count, all.length) }, (_, at) => {
      const place = OWN_PAGES.indexOf(page) * count + at
      return all[place % all.length] as Each
    })
  const mayVisit = (name: Name, { needs }: ConsolePage) =>
    needs === 'session' || (needs !== 'nobody' && may(PEOPLE[name], needs))
  /** Returns somebody who may see the page. */
  const visitorOf = (page: ConsolePage, all: readonly Name[] = NAMES): Name =>
    inTurn(
      page,
      all.filter((name) => mayVisit(name, page)),
    )[0] ?? (inTurn(page, all)[0] as Name)
  const seen = new Map<string, Promise<Answer>>()
  /** The page as it was first seen by this person, for what does not depend on what has changed since. */
  function look(name: Name, page: ConsolePage): Promise<Answer> {
    const key = `${name} ${page.path}`
    const answer = seen.get(key) ?? visit(name, addressOf(page, examples), page)
    seen.set(key, answer)
    return answer
  }
  const each = (pages: readonly ConsolePage[]) =>
    pages.map((page) => [`${page.method} ${page.path}`, page] as const)

  describe('by the table of acts', () => {
    test.each(each(OWN_PAGES))('%s', async (_, page) => {
      const address = addressOf(page, examples)
      const roles: readonly string[] =
        page.needs === 'session'
          ? NAMES.map((name) => PEOPLE[name].role)
          : POLICY[page.needs as keyof typeof POLICY].roles
      const isIn = (name: Name) => roles.includes(PEOPLE[name].role)
      const people = isWhole
        ? NAMES
        : [
            visitorOf(page),
            inTurn(
              page,
              NAMES.filter((name) => !isIn(name)),
            ),
          ].flat()
      const answers = await visitAll(page, [...people, null], (name) =>
        name !== null && page.method === 'get' ? look(name, page) : visit(name, address, page),
      )
      const stranger = answers.pop()
      for (const [at, name] of people.entries()) {
        const { status, text } = answers[at] as Answer
        expect(weightOf(text)).toBeLessThan(PAGE_BYTES_MAX)
        const isAllowed = isIn(name)
        expect([name, status === 403]).toEqual([name, !isAllowed])
        expect(status).toBeLessThan(500)
        if (isAllowed && page.method === 'get')
          expect([name, status]).toEqual([name, status < 400 ? status : 0])
        // The person is told whom to ask, and nothing of what is there.
        if (!isAllowed) expect(text).toContain('Your role may not do this')
      }
      expect([stranger?.status, stranger?.location?.split('?')[0]]).toEqual([303, '/sign-in'])
    })
  })

  describe('another shop is an unknown one', () => {
    // First, because the forms below store the other's names as this shop's own.
    test('no page of one shop names the other', async () => {
      const foreign = Object.values(examples).flatMap(({ foreign: id }) => id ?? [])
      for (const page of OWN_PAGES.filter(({ method }) => method === 'get'))
        for (const { text } of await visitAll(page, isWhole ? BOUND : [visitorOf(page, BOUND)], (name) =>
          look(name, page),
        ))
          expect([page.path, foreign.filter((id) => text.includes(id))]).toEqual([page.path, []])
    })

    /** Each parameter alone is replaced, and then all that can be. */
    const choices = (page: ConsolePage) => {
      const keys = parametersOf(page, examples).filter((key) => examples[key]?.foreign)
      return keys.length > 1 ? [...keys.map((key) => [key]), keys] : keys.map((key) => [key])
    }
    const replaced = (page: ConsolePage, keys: string[], by: 'foreign' | 'unknown') =>
      addressOf(
        page,
        examples,
        (key, example: Example) => (keys.includes(key) ? example[by] : null) ?? example.own,
      )

    test.each(each(OWN_PAGES))('%s', async (_, page) => {
      const filled = { confirm: 'yes', seen: '0', amount: '1.00', why: 'x' }
      const forms = page.method === 'get' ? [{}] : isWhole ? [{}, filled] : [filled]
      const allowed = page.needs === 'session' ? BOUND : BOUND.filter((name) => isAllowed(name, page))
      for (const name of isWhole ? BOUND : inTurn(page, allowed.length > 0 ? allowed : BOUND))
        for (const keys of choices(page))
          for (const form of forms) {
            const [foreign, unknown] = [replaced(page, keys, 'foreign'), replaced(page, keys, 'unknown')]
            const [one, none] = (await visitAll(page, [foreign, unknown], (address) =>
              visit(name, address, { ...page, form }),
            )) as [Answer, Answer]
            expect([name, shapeOf(one, foreign)]).toEqual([name, shapeOf(none, unknown)])
            expect(one.status).toBeGreaterThanOrEqual(400)
          }
    })

    test.each(each(OWN_PAGES))('%s, by every field and every filter', async (_, page) => {
      const both = [...Object.values(examples), ...things].filter(({ foreign }) => foreign !== null)
      // Several parameters may stand for the same thing.
      const all = [...new Map(both.map((pair) => [pair.foreign, pair])).values()]
      const given = isWhole ? all : inTurn(page, all)
      const own = addressOf(page, examples)
      const name = page.needs === 'session' ? 'shop' : BOUND.find((bound) => isAllowed(bound, page))
      if (!name) return
      const { shown, chosen } = await fieldsOf(name, page)
      // What an earlier form has stored under either value stands on both pages.
      const visited = async (changed: readonly string[], value: string, pair: string) => {
        const form = { ...shown, ...Object.fromEntries(changed.map((field) => [field, value])) }
        const address = page.method === 'get' ? `${own}?${new URLSearchParams(form)}` : own
        return shapeOf(await visit(name, address, { ...page, form }), `${address}/${pair}`)
      }
      // All at once, and each alone that a person does not type: these have ids as their values.
      const alone = chosen.map((field) => [field])
      const together = [Object.keys(shown)]
      const some = page.method === 'post' && alone.length > 0 ? inTurn(page, alone) : together
      for (const changed of isWhole ? [...together, ...alone] : some)
        for (const { foreign, unknown } of given) {
          const pair = `${foreign}/${unknown}`
          const [one, none] = await visitAll(page, [foreign as string, unknown], (value) =>
            visited(changed, value, pair),
          )
          expect(differenceOf(one as string, none as string)).toEqual([])
        }
    })

    const isAllowed = (name: Name, { needs }: ConsolePage) =>
      needs !== 'nobody' && needs !== 'session' && may(PEOPLE[name], needs)

    /** The fields that the page shows, with their values, and some that an address may have. */
    async function fieldsOf(name: Name, page: ConsolePage) {
      const hasPage = OWN_PAGES.some(({ method, path }) => method === 'get' && path === page.path)
      const text = hasPage
        ? (await visit(name, addressOf(page, examples), { method: 'get' })).text
        : ((await formsFor(name)).find(({ action }) => isAt(page, action))?.text ?? '')
      const fields = fieldsIn(text)
      const usual = hasPage ? USUAL : [...USUAL, ...(fields.length === 0 ? NAMED : [])]
      const added = Object.fromEntries(usual.map((field) => [field, '']))
      return {
        shown: { ...added, ...Object.fromEntries(fields.map((field) => [field.name, field.value])) },
        // A form without a page of its own is a button with what it is about, so each of its fields is tried alone. A note is
        // stored as it is written, and the next form would then be too late.
        chosen: fields
          .filter(({ isTyped, isNote }) => !isNote && (!hasPage || !isTyped))
          .map((field) => field.name),
      }
    }

    const USUAL = ['merchant', 'id', 'payment', 'after']
    /** For a form that no page of the examples shows. */
    const NAMED = ['product', 'installation', 'address', 'name', 'from', 'to', 'day', 'event', 'order']

    const isAt = ({ path }: ConsolePage, address: string) =>
      new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`).test(address)

    const fieldsIn = (text: string) =>
      [...text.matchAll(/<(input|select|textarea)([^>]*)>/g)].map(([, tag, attributes = '']) => ({
        name: /name="([\w-]+)"/.exec(attributes)?.[1] ?? 'unnamed',
        value: /value="([^"]*)"/.exec(attributes)?.[1] ?? '',
        isTyped: tag !== 'select' && !attributes.includes('type="hidden"'),
        isNote: tag === 'textarea',
      }))

    type Form = { action: string; text: string }
    const forms = new Map<Name, Promise<Form[]>>()
    /** Every form that this person's pages have. */
    function formsFor(name: Name): Promise<Form[]> {
      const found = forms.get(name) ?? collectForms(name)
      forms.set(name, found)
      return found
    }

    async function collectForms(name: Name): Promise<Form[]> {
      const found: Form[] = []
      for (const page of OWN_PAGES.filter(({ method }) => method === 'get')) {
        const address = addressOf(page, examples)
        const { text } = await visit(name, address, page)
        for (const [, attributes = '', inside = ''] of text.matchAll(/<form([^>]*)>(.*?)<\/form>/gs)) {
          if (!attributes.includes('method="post"')) continue
          const [, action = address] = /action="([^"]*)"/.exec(attributes) ?? []
          found.push({ action: new URL(action, desk.origin + address).pathname, text: inside })
        }
      }
      return found
    }

    test('the forms of buttons are found on the pages, so their fields are the ones that are tried', async () => {
      const buttons = ['domains/withdraw', 'domains/use', 'orders/:order/move']
      const found = await formsFor('shop')
      for (const button of buttons) {
        const page = OWN_PAGES.find(({ path }) => path.endsWith(button)) as ConsolePage
        const form = found.find(({ action }) => isAt(page, action))
        expect([button, fieldsIn(form?.text ?? '').length > 0]).toEqual([button, true])
      }
    })
  })

  const READERS = ['administrator', 'shop'] as const
  /** The pages as an administrator sees them, and as whoever may do least of all that see them. */
  const SEEN = OWN_PAGES.filter(({ method }) => method === 'get').flatMap((page) =>
    (isWhole ? READERS : [visitorOf(page)]).map((name) => [page.path, name, page] as const),
  )

  test.each(SEEN)(
    '%s names the zone of its times, and its forms have whole addresses: %s',
    async (_, name, page) => {
      const { text, headers } = await look(name, page)
      if (!headers.get('content-type')?.startsWith('text/html')) return
      const [, main = ''] = /<main[^>]*>([\s\S]*)<\/main>/.exec(text) ?? []
      const hasTime = /<time|\b\d\d:\d\d\b/.test(main)
      if (hasTime) expect(text).toMatch(/data-testid="zone">Days and times are those of [A-Z]\w+\/\w+\./)
      const actions = [...text.matchAll(/<form[^>]* action="([^"]*)"/g)].map(([, action]) => action)
      expect(actions.filter((action) => !action?.startsWith('/'))).toEqual([])
    },
  )

  describe('every link and form leads to something that the role may do', () => {
    /** The addresses of the console that a page offers, without their queries. */
    function offeredOn(text: string, at: string): { method: 'get' | 'post'; path: string }[] {
      const tags = [...text.matchAll(/<(a|form)\b([^>]*)>/g)].map(([, tag, attributes = '']) => {
        const address = /(?:href|action)="([^"]*)"/.exec(attributes)?.[1]
        const isPost = tag === 'form' && attributes.includes('method="post"')
        return { method: isPost ? ('post' as const) : ('get' as const), address: address ?? at }
      })
      return tags
        .map(({ method, address }) => ({
          method,
          url: new URL(address.replaceAll('&amp;', '&'), desk.origin + at),
        }))
        .filter(({ url }) => url.origin === desk.origin)
        .map(({ method, url }) => ({ method, path: url.pathname }))
    }

    /** The first page whose address has this form, as the server finds it. */
    function pageAt({ method, path }: { method: string; path: string }): ConsolePage | undefined {
      const parts = path.split('/')
      return CONSOLE_PAGES.find((page) => {
        const form = page.path.split('/')
        return (
          page.method === method &&
          form.length === parts.length &&
          form.every((part, at) => part.startsWith(':') || part === parts[at])
        )
      })
    }

    const GETS = OWN_PAGES.filter(({ method }) => method === 'get')
    test.each(each(GETS))('%s', async (_, page) => {
      const address = addressOf(page, examples)
      const people = isWhole ? NAMES : [visitorOf(page)]
      const answers = await visitAll(page, people, (name) => look(name, page))
      for (const [at, name] of people.entries()) {
        const { status, text } = answers[at] as Answer
        if (status !== 200) continue
        const user = { role: PEOPLE[name].role }
        const refused = offeredOn(text, address).filter((offer) => {
          const needs = pageAt(offer)?.needs
          return needs !== undefined && needs !== 'nobody' && needs !== 'session' && !may(user, needs)
        })
        expect([name, refused]).toEqual([name, []])
      }
    })

    test('what a page offers is found', () => {
      const text = '<a href="/sandbox/users">x</a><form method="post" action="/sandbox/users/new"></form>'
      const found = offeredOn(text, '/sandbox/today').map((offer) => pageAt(offer)?.needs)
      expect(found).toEqual(['user list', 'user add'])
    })
  })

  test('no page can be put into a frame of another page', async () => {
    for (const page of isWhole ? CONSOLE_PAGES : OWN_PAGES.filter(({ method }) => method === 'get')) {
      const { headers } = await (isWhole
        ? visit('administrator', addressOf(page, examples), page)
        : look(visitorOf(page), page))
      expect([page.path, headers.get('content-security-policy')]).toEqual([
        page.path,
        expect.stringContaining("frame-ancestors 'none'"),
      ])
      expect(headers.get('x-frame-options')).toBe('DENY')
    }
  })
}
