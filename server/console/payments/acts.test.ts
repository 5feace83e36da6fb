/** The acts of a payment beside the refund: taking, releasing, confirming and deciding, by the same safe form. */
import { expect, test } from 'vitest'
import { readAuditChain } from '../../storage/audit/log.ts'
import { type EntryRecord, listEntries } from '../../storage/payments/entries.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { hiddenIn, type TestBrowser } from '../../testing/console.ts'
import { openConsole } from '../../testing/scene/console.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { CONSOLE_WORDS } from '../words/translate.ts'

const { kassa, signIn, buy } = await openConsole()
await signIn('administrator')
const limits = { refundLimits: { USD: 2_000 }, refundLimitsDay: { USD: 100_000 } }
const operator = await signIn('operator')
const owner = await signIn('shop', limits)

async function pay(
  provider: string,
  outcome: string | null,
  amountMinor = 1_900,
  currency = 'USD',
): Promise<string> {
  return buy({ amountMinor, provider, currency }, outcome)
}
const at = (id: string, act = '') => `/sandbox/payments/${id}${act && `/${act}`}`
const stored = (id: string) => findPaymentById(kassa.ctx.db, id)
const words = CONSOLE_WORDS.en

/** Fills in both forms. Returns the answer to the second one. */
async function act(browser: TestBrowser, id: string, name: string, form: Record<string, string> = {}) {
  const { text } = await browser.get(at(id, name))
  const tried = await browser.post(at(id, name), { ...hiddenIn(text), ...form })
  expect([name, tried.status, (await stored(id))?.version]).toEqual([
    name,
    200,
    Number(hiddenIn(text).seen?.split('.')[0]),
  ])
  const sure = hiddenIn(tried.text)
  const both = await Promise.all([browser.post(at(id, name), sure), browser.post(at(id, name), sure)])
  await SWEEPS.moneyOperations(kassa.ctx)
  expect(both.map(({ location }) => location)).toContain(`${at(id)}?done=${name}`)
  expect((await browser.post(at(id, name), sure)).status).toBe(422)
  return tried.text
}

test('a part of what is held is taken, and the whole is released', async () => {
  const id = await pay('route_b', 'paid')
  const text = await act(owner, id, 'capture', { amount: '12.00' })
  expect(text).toContain('$12.00 of payment')
  expect(await stored(id)).toMatchObject({ status: 'paid', capturedMinor: 1_200 })
  const form = { ...hiddenIn((await owner.get(at(id, 'refund'))).text), amount: '12.01', why: 'a crack' }
  const above = await owner.post(at(id, 'refund'), form)
  expect([above.status, above.text.includes('value="12.01"')]).toEqual([422, true])
  expect(above.text).toContain('You wrote $12.01. At most $12.00 is left of this payment.')
  const other = await pay('route_b', 'paid')
  const why = { ...hiddenIn((await owner.get(at(other, 'void'))).text), why: 'out of stock' }
  const sure = hiddenIn((await owner.post(at(other, 'void'), why)).text)
  const back = await owner.post(at(other, 'void'), { ...sure, back: 'yes' })
  expect([back.status, back.text.includes('value="out of stock"')]).toEqual([200, true])
  await act(owner, other, 'void', { why: 'out of stock' })
  expect((await stored(other))?.status).toBe('reversed')
  const dear = await pay('route_b', 'paid', 2_001)
  const { text: blocked } = await owner.get(at(dear, 'void'))
  expect([blocked.includes('$20.00'), blocked.includes('name="why"')]).toEqual([true, false])
  const forced = { seen: '1.0', why: 'x', confirm: 'yes' }
  expect((await owner.post(at(dear, 'void'), { ...forced, ...hiddenIn(blocked) })).status).toBe(422)
  expect((await stored(dear))?.status).toBe('authorized')
})

test('money by bank transfer is confirmed by the statement, with a warning for another sum, and noted when it goes back', async () => {
  const id = await pay('manual', null)
  const text = await act(owner, id, 'confirm', { amount: '19.00', reference: 'RF18 5390 0754' })
  expect(text).not.toContain('is not the')
  expect(await stored(id)).toMatchObject({ status: 'paid', capturedMinor: 1_900 })
  expect((await owner.get(at(id, 'refund'))).text).toContain(words.byHandOnly)
  await act(owner, id, 'returned', { amount: '4.00', reference: 'RF19', why: 'a crack' })
  expect(await stored(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 400 })
  const less = await pay('manual', null)
  expect(await act(owner, less, 'confirm', { amount: '18.00', reference: 'RF20' })).toContain(
    '$18.00 is not the $19.00',
  )
  const rows = (await readAuditChain(kassa.ctx.db, 0, 1_000)).filter(({ about }) => about.includes(id))
  expect(new Set(rows.map(({ who, what }) => `${who} ${what}`))).toEqual(
    new Set(['A shop payment confirm', 'A shop payment returned']),
  )
})

test('an open payment is cancelled once, and one that is paid is not', async () => {
  const id = await pay('route_a', null)
  await act(owner, id, 'cancel', { why: 'the order has changed' })
  expect(await stored(id)).toMatchObject({ status: 'cancelled', capturedMinor: 0 })
  expect((await stored(id))?.merchantCancelledAt).not.toBeNull()
  const { rows } = await kassa.ctx.db.query(
    'select reason, actor from sandbox.cancellations where payment_id = $1',
    [id],
  )
  expect(rows).toEqual([{ reason: 'the order has changed', actor: expect.any(String) }])
  const paid = await pay('route_a', 'paid')
  const { text } = await owner.get(at(paid, 'cancel'))
  expect([text.includes(words.notCancellable), text.includes('name="why"')]).toEqual([true, false])
  const forced = { ...hiddenIn(text), seen: '1.0', why: 'x', confirm: 'yes' }
  expect((await owner.post(at(paid, 'cancel'), forced)).status).toBe(422)
  expect((await stored(paid))?.status).toBe('paid')
})

test('what came too much goes back without a refund, and a reference counts for one amount', async () => {
  const id = await pay('manual', null)
  await act(owner, id, 'confirm', { amount: '19.50', reference: 'RF30' })
  const { text } = await owner.get(at(id, 'returned'))
  expect(text).toContain('$0.50 more than the payment has arrived')
  const form = { ...hiddenIn(text), amount: '0.50', reference: 'RF31', why: 'too much' }
  const tried = await owner.post(at(id, 'returned'), form)
  expect(tried.text).toContain('It goes back first')
  for (const _ of [1, 2])
    expect((await owner.post(at(id, 'returned'), hiddenIn(tried.text))).location).toContain('done=returned')
  expect(await stored(id)).toMatchObject({ status: 'paid', refundedMinor: 0 })
  const again = { ...hiddenIn((await owner.get(at(id, 'returned'))).text), reference: 'rf 31', why: 'x' }
  const other = await owner.post(at(id, 'returned'), { ...again, amount: '5.00' })
  expect([other.status, other.text]).toEqual([422, expect.stringContaining('0.50 USD')])
  expect(other.text).toContain('value="5.00"')
})

/** Only tries it out, or sends a form that the page did not show. */
async function press(browser: TestBrowser, id: string, name: string, form: Record<string, string>) {
  const seen = `${(await stored(id))?.version}.0`
  const { text } = await browser.get(at(id, name))
  return browser.post(at(id, name), { seen, ...hiddenIn(text), ...form })
}

test("a person's own limit bounds a confirmation by the payment's amount, whatever is typed", async () => {
  const id = await pay('manual', null, 500_000)
  const { text } = await owner.get(at(id, 'confirm'))
  expect([text.includes('$20.00'), text.includes('name="reference"')]).toEqual([true, false])
  const typed = { amount: '20.00', reference: 'RF50', confirm: 'yes' }
  expect((await press(owner, id, 'confirm', typed)).status).toBe(422)
  expect(await stored(id)).toMatchObject({ capturedMinor: 0, version: 1 })
  const small = await pay('manual', null, 1_000)
  const more = { ...typed, amount: '20.01' }
  expect((await press(owner, small, 'confirm', more)).status).toBe(422)
  expect((await press(owner, small, 'confirm', typed)).location).toContain('done=confirm')
})

test("what came too much goes back within the person's own limit, in parts and at the same moment", async () => {
  const id = await pay('manual', null, 1_000)
  await act(operator, id, 'confirm', { amount: '210.00', reference: 'RF60' })
  const giveBack = (amount: string, reference: string) =>
    press(owner, id, 'returned', { amount, reference, why: 'too much', confirm: 'yes' })
  expect((await giveBack('12.00', 'RF61')).location).toContain('done=returned')
  const over = await giveBack('12.00', 'RF62')
  expect([over.status, over.text]).toEqual([422, expect.stringContaining('$8.00')])
  const both = await Promise.all(['RF63', 'RF64', 'RF65'].map((reference) => giveBack('8.00', reference)))
  expect(both.filter(({ location }) => location?.includes('done=returned'))).toHaveLength(1)
  expect((await listEntries(kassa.ctx.db, (await stored(id)) as never)).map(entryText)).toEqual([
    'taken 1000',
    'unmatched 20000',
    'over_returned 1200',
    'over_returned 800',
  ])
  expect((await owner.get(at(id, 'returned'))).text).not.toContain('name="amount"')
})
const entryText = ({ kind, amountMinor }: EntryRecord) => `${kind} ${amountMinor}`

test('a fraction of a dram is refused in clear words, but for exactly what an older payment has left', async () => {
  const id = await pay('manual', null, 190_050, 'AMD')
  const form = { ...hiddenIn((await operator.get(at(id, 'confirm'))).text), reference: 'RF40' }
  for (const amount of ['1900.40', '12,5']) {
    const { status, text } = await operator.post(at(id, 'confirm'), { ...form, amount })
    expect([status, text]).toEqual([422, expect.stringContaining('Amounts in AMD have no decimals.')])
    expect(text).toContain(`value="${amount}"`)
  }
  await act(operator, id, 'confirm', { amount: '1900.50', reference: 'RF40' })
  expect(await stored(id)).toMatchObject({ status: 'paid', capturedMinor: 190_050 })
})

test('an unknown outcome is decided by an operator, and a shop is told whom to ask', async () => {
  const id = await pay('route_a', 'unknown')
  await kassa.ctx.db.query(
    "update sandbox.payments set status = 'status_unknown', version = version + 1 where id = $1 and status <> 'status_unknown'",
    [id],
  )
  const { text } = await owner.get(at(id))
  expect(text).toContain('operator, administrator')
  expect(text).not.toContain(at(id, 'resolve'))
  await act(operator, id, 'resolve', { as: 'failed', why: "the provider's page says so" })
  expect((await stored(id))?.status).toBe('failed')
})

test('where only a part is known to be there, the second form shows it, and the decision accepts that sum', async () => {
  const id = await buy({ metadata: { sandboxFault: 'underpaid' } }, 'paid')
  await expect.poll(async () => (await stored(id))?.status).toBe('status_unknown')
  const unseen = { ...hiddenIn((await operator.get(at(id, 'resolve'))).text), as: 'paid', why: 'unseen' }
  expect((await operator.post(at(id, 'resolve'), { ...unseen, confirm: 'yes' })).status).toBe(422)
  expect(await stored(id)).toMatchObject({ status: 'status_unknown' })
  const text = await act(operator, id, 'resolve', { as: 'paid', why: 'a friend of the house' })
  expect(text).toContain('Only $9.50 of $19.00 is known to be there.')
  expect(await stored(id)).toMatchObject({ status: 'paid', capturedMinor: 950 })
})

test('what cannot be done now says why, and a form for it is refused', async () => {
  const id = await pay('route_a', 'paid')
  const { text } = await operator.get(at(id))
  for (const key of ['nothingHeld', 'providerReports', 'outcomeKnown', 'receiptFine'] as const)
    expect([key, text.includes(words[key])]).toEqual([key, true])
  const before = await stored(id)
  const form = {
    seen: `${before?.version}.0`,
    amount: '1.00',
    reference: 'x',
    why: 'x',
    as: 'failed',
    confirm: 'yes',
  }
  for (const name of ['capture', 'void', 'confirm', 'returned', 'resolve', 'receipt'])
    expect([name, (await operator.post(at(id, name), form)).status]).toEqual([name, 422])
  expect(await stored(id)).toEqual(before)
  const fresh = await pay('route_a', null)
  expect((await owner.get(at(fresh))).text).toContain(`/sandbox/counter/${fresh}`)
})
