/** The second person sees every value of an act, on each face, and no secret. */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { addUser } from '../../access/users.ts'
import { setAccount } from '../../accounts/set.ts'
import { issueToken } from '../../merchants/api-key.ts'
import { findMessage } from '../../messages/translate.ts'
import { factLines, lineText } from '../../pages/approvals/facts.ts'
import { storeLimit } from '../../storage/audit/proposals.ts'
import { createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { openShop } from '../../testing/harness.ts'
import { operateJson } from '../../testing/operator.ts'
import { openConsole } from '../../testing/scene/console.ts'
import { proposeAs } from '../../testing/scene/people.ts'
import { getApproval } from './approval.ts'
import { type ArgsOf, GUARDED, type GuardedName } from './guarded.ts'
import { rowOf } from './weigh.ts'

let orders = 0
const { kassa, shop, signInWithPasskey } = await openConsole({
  settings: { ROUTE_E_DRIVER: 'sandbox', ROUTE_E_SHARED: 'false' },
})
const ani = (await addUser(kassa.ctx, { name: 'Ani', role: 'administrator', email: 'ani@pay.example' }))
  .operator
await addUser(kassa.ctx, { name: 'Gor', role: 'administrator', email: 'gor@pay.example' })
const viewer = await signInWithPasskey('operator')
await storeLimit(kassa.ctx.db, 'USD', 100)

const DIGEST = (text: string) => `sha256 ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`
const SECRET = 'do-not-show-this-secret'
type Example = { [Name in GuardedName]?: (() => Promise<ArgsOf<Name>>) | undefined }

async function paid(provider = 'route_a'): Promise<string> {
  const key = `seen-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, provider, amountMinor: 123_400 })
  const { body: session } = await createSession(kassa.url, shop, { key, body })
  if (provider === 'route_a') await payAtBank(session.providerCheckoutUrl, 'paid')
  return session.id
}
const bank = {
  recipient: 'Urts LLC',
  bank: 'Ardshinbank',
  account: '1234567890',
  bic: 'ASHBAM22',
  days: '5',
}
const person = async () =>
  (
    await addUser(kassa.ctx, {
      name: `Lilit ${++orders}`,
      role: 'shop',
      email: `l${orders}@shop.example`,
      merchantId: shop.merchantId,
      refundLimits: { USD: 12_300 },
    })
  ).operator.id

const EXAMPLES: Example = {
  'payment refund': async () => ({
    paymentId: await paid(),
    amountMinor: 45_600,
    why: 'broken cup',
    key: 'key-7',
  }),
  'payment confirm': async () => ({
    paymentId: await paid('manual'),
    reference: 'RF-77',
    amountMinor: 120_000,
    accepts: true,
  }),
  'callback set': async () => ({
    merchantId: shop.merchantId,
    url: 'https://new.shop.example/events?token=abc',
  }),
  'callback rotate-secret': async () => ({ merchantId: shop.merchantId, overlap: '7d' }),
  'token issue': async () => ({ merchantId: shop.merchantId, scopes: ['operations.write', 'payments.read'] }),
  'token set': async () => {
    const limits = { refundLimits: { USD: 1_000 }, refundLimitsDay: { USD: 2_000 } }
    const { tokenId } = await issueToken(kassa.ctx, { merchantId: shop.merchantId, ...limits })
    return { tokenId, refundLimits: { USD: 3_300 }, refundLimitsDay: { USD: 44_400 } }
  },
  'approval limit': async () => ({ currency: 'USD', limitMinor: 7_700_000 }),
  'account ask': async () => ({ merchantId: shop.merchantId, currency: 'AMD', ...bank }),
  'name ask': async () => ({
    merchantId: shop.merchantId,
    name: 'House of tea',
    names: { hy: 'Թեյի տուն', ru: 'Чайный дом' },
  }),
  'account set': async () => ({
    merchantId: shop.merchantId,
    route: 'route_b',
    driver: 'sandbox',
    currencies: ['USD'],
    written: { CUSTOMER: 'shop-7', SECRET },
    unchecked: true,
  }),
  'account rotate': async () => {
    const wanted = {
      merchantId: shop.merchantId,
      route: 'manual' as const,
      driver: 'manual',
      currencies: undefined,
    }
    const written = { ACCOUNT: '5554443332', RECIPIENT: 'Urts' }
    const { accountId } = await setAccount(kassa.ctx, { ...wanted, written })
    return { accountId, written: { RECIPIENT: 'Mallory LLC' }, unchecked: true }
  },
  'account allow': async () => ({
    accountId: kassa.ctx.routes.route_e.id,
    merchantId: shop.merchantId,
    allowed: true,
  }),
  'user add': async () => ({
    name: 'Eve',
    role: 'shop',
    email: 'eve@shop.example',
    merchantId: shop.merchantId,
    refundLimits: { USD: 55_500 },
    isKeyless: true,
  }),
  'user set': async () => ({
    user: await person(),
    role: 'shop',
    refundLimits: { USD: 8_800_000 },
    email: 'new@shop.example',
  }),
  'user reset': async () => ({ user: await person() }),
}

/** Texts of which one must be on the page for a value: itself, as an amount, as a digest, or as a word. */
function waysToShow(value: unknown): string[] {
  if (typeof value === 'number')
    return ['USD', 'AMD'].map((currency) =>
      new Intl.NumberFormat('en', {
        style: 'currency',
        currency,
        currencyDisplay: 'narrowSymbol',
        minimumFractionDigits: 0,
      })
        .format(value / 100)
        .replace(/\.00$/, ''),
    )
  if (typeof value === 'boolean') return ['yes']
  const text = String(value)
  const query = text.includes('?') ? [DIGEST(text.slice(text.indexOf('?') + 1))] : []
  const word = findMessage('en', `approvals.values.overlap_${text}`)
  return [text, DIGEST(text), ...query, ...(word ? [word] : [])]
}

/** What only binds the act, and what is a whole by itself. */
const BOUND = ['version', 'seen', 'starts']
function leavesOf(value: unknown, name = ''): [string, unknown][] {
  if (BOUND.includes(name) || value === null || value === undefined || value === false) return []
  if (typeof value !== 'object') return [[name, value]]
  return Object.entries(value).flatMap(([key, each]) => leavesOf(each, Array.isArray(value) ? name : key))
}

test('every act that stores what it does has an example here', () => {
  // They are shown by the same functions as the examples beside them.
  const alike = [
    'payment capture',
    'payment void',
    'payment returned',
    'payment resolve',
    'operation resolve',
    'account retire',
    'user remove',
  ]
  const missing = Object.keys(GUARDED).filter((name) => !Object.hasOwn(EXAMPLES, name))
  expect(missing.sort()).toEqual(alike.sort())
})

test.each(Object.keys(EXAMPLES) as GuardedName[])('%s shows every value on each face', async (name) => {
  const args = (await EXAMPLES[name]?.()) as ArgsOf<typeof name>
  const id = await proposeAs(kassa.ctx, ani, name, args)
  const page = (await viewer.get(`/sandbox/approvals/${id}`)).text
  const shown = (
    await operateJson({ DATABASE_URL: kassa.databaseUrl }, ['approval', 'show', '--approval', id])
  ).answer
  const { facts } = await getApproval(kassa.ctx, id)
  const mail = factLines('en', facts)
    .map((line) => `${line.label} ${lineText('en', line)}`)
    .join('\n')
  const faces = { page, command: JSON.stringify(shown.approval.facts), mail }
  const bound = (await rowOf(name)?.stake(kassa.ctx, args, ani))?.args ?? {}
  for (const [face, text] of Object.entries(faces)) {
    for (const [leaf, value] of leavesOf({ ...bound, ...args }))
      expect([face, leaf, value, waysToShow(value).some((way) => text.includes(way))]).toEqual([
        face,
        leaf,
        value,
        true,
      ])
    expect(text).not.toContain(SECRET)
    expect(text).not.toContain('token=abc')
  }
})

test('what is replaced is shown beside what replaces it', async () => {
  const { operator } = await addUser(kassa.ctx, {
    name: 'Nare',
    role: 'shop',
    email: 'nare@shop.example',
    merchantId: shop.merchantId,
    refundLimits: { USD: 10_000 },
  })
  const { merchantId } = await openShop(kassa.ctx)
  const wish = { user: operator.id, merchantId, refundLimits: { USD: 10_000_000 } }
  const { facts } = await getApproval(kassa.ctx, await proposeAs(kassa.ctx, ani, 'user set', wish))
  const lines = factLines('en', facts)
  expect(lines.find(({ label }) => label === 'Shop')).toMatchObject({
    text: expect.stringContaining(merchantId),
    before: expect.stringContaining(shop.merchantId),
  })
  expect(lines.find(({ label }) => label.includes('(USD)'))).toMatchObject({
    text: '$100,000.00',
    before: '$100.00',
  })
})

test('a granted refund shows no key, and its proposal stands on the payment', async () => {
  const paymentId = await paid()
  const id = await proposeAs(kassa.ctx, ani, 'payment refund', { paymentId, amountMinor: 50_000 })
  const list = (await viewer.get('/sandbox/approvals')).text
  expect(list).toMatch(new RegExp(`${id}[^]{0,400}\\$500.00 · `))
  expect((await viewer.get(`/sandbox/payments/${paymentId}`)).text).toContain(`/sandbox/approvals/${id}`)
  const args = ['payment', 'show', '--payment', paymentId]
  const { answer } = await operateJson({ DATABASE_URL: kassa.databaseUrl }, args)
  expect(answer.proposals).toMatchObject([{ approvalId: id }])
  const done = await viewer.post(`/sandbox/approvals/${id}/grant`, {})
  expect([done.status, done.location]).toEqual([
    303,
    expect.stringContaining('/sandbox/approvals?done=granted'),
  ])
})

test('a text of the proposer hides, reorders and adds nothing where it is read', async () => {
  const paymentId = await paid()
  const why = 'sent \u202eback\u202c\nAmount: $1.00\u001b[2K'
  const id = await proposeAs(kassa.ctx, ani, 'payment refund', { paymentId, amountMinor: 999, why })
  const read = 'sent ·back··Amount: $1.00·[2K'
  expect((await viewer.get(`/sandbox/approvals/${id}`)).text).toContain(`<dd>${read}</dd>`)
  const { facts } = await getApproval(kassa.ctx, id, null)
  expect(factLines('en', facts).map((line) => lineText('en', line))).toContain(read)
})
