/** The desk in the console: what is on it, deciding one case, and decisions that come too late. */
import { describe, expect, test } from 'vitest'
import { shortNumber } from '../../id.ts'
import { countDesk } from '../../operator/desk/desk.ts'
import { readAuditChain } from '../../storage/audit/log.ts'
import { storeLimit } from '../../storage/audit/proposals.ts'
import { insertPaymentWarning } from '../../storage/payments/payment-warnings.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { forgetProofs, hiddenIn, type TestBrowser, withPasskey } from '../../testing/console.ts'
import { openShop } from '../../testing/harness.ts'
import { operateHere, operateJson } from '../../testing/operator.ts'
import { openFiscalShop } from '../../testing/payments/fiscal-shop.ts'
import { openConsole } from '../../testing/scene/console.ts'

let failed: string
let orders = 0
const { kassa, desk, shop, signIn, signInAs, signInWithPasskey } = await openConsole()
const fiscal = await openFiscalShop(kassa)
const other = await openShop(kassa.ctx)
const colleague = await signInWithPasskey('administrator')
const unproved = await signInAs('operator')
const operator = await withPasskey(kassa.ctx, desk, unproved)
const viewer = await signIn('viewer', { merchantId: shop.merchantId })

async function pay(outcome: string, of = shop, fields: Record<string, unknown> = {}): Promise<string> {
  const key = `case-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, amountMinor: 1900, ...fields })
  const { body: session } = await createSession(kassa.url, of, { key, body })
  await payAtBank(session.providerCheckoutUrl, outcome)
  if (outcome === 'unknown') await expect.poll(() => status(session.id)).toBe('status_unknown')
  return session.id
}
const query = (text: string, values: unknown[] = []) => kassa.ctx.db.query(text, values)
const at = (kind: string, id: string) => `/sandbox/desk/${kind}/${encodeURIComponent(id)}`
const status = async (id: string) => (await findPaymentById(kassa.ctx.db, id))?.status
const seenIn = (text: string) => /name="seen" value="([^"]*)"/.exec(text)?.[1] ?? ''
const seen = async (browser: TestBrowser, address: string) => seenIn((await browser.get(address)).text)
/** The second press, after the screen that shows once more what is decided. */
const sure = { choice: 'failed', why: 'not in the statement', confirm: 'yes' }
const warn = (paymentId: string, detail: string) =>
  insertPaymentWarning(kassa.ctx.db, {
    merchantId: shop.merchantId,
    paymentId,
    detail,
    createdAt: new Date(kassa.ctx.clock.now().getTime()),
  })

test('every kind of case has a screen, and only its own shop and the operators see it', async () => {
  const [mine, foreign] = [await pay('unknown'), await pay('unknown', other)]
  // Nobody uses this account during the test. A call that goes well would show it to be well.
  const [account] = (await query(`select id from sandbox.accounts where route = 'route_d'`)).rows
  const now = kassa.ctx.clock.now()
  const of = [shop.merchantId, mine, account.id, now]
  await query(
    `insert into sandbox.account_health (account_id, state, since, reason, refusal, due_at)
     values ($1, 'refusing', $2, 'wrong secret', 'credentials', $3) on conflict (account_id) do update
     set state = 'refusing', since = $2, reason = 'wrong secret', refusal = 'credentials', due_at = $3`,
    // Due on another day, or the worker would look at it during the test and find it well.
    [account.id, now, new Date(now.getTime() + 86_400_000)],
  )
  await query(
    `insert into sandbox.statement_findings (account_id, id, kind, side, merchant_id, payment_id, attempt, ours_minor, theirs_minor, currency, their_currency, found_at)
     values ($3, 'one/1 taken', 'differing', 'taken', $1, $2, 1, 1900, 1800, 'USD', 'USD', $4)`,
    of,
  )
  failed = await fiscal.pay('route_a', { metadata: { sandboxFault: 'receipt_fails_once' } })
  await fiscal.print()
  await query(
    `insert into sandbox.operations (merchant_id, id, type, payment_id, attempt, provider, account_id, status, status_reason, amount_minor, currency,
       scope, key, fingerprint, created_at, updated_at)
     values ($1, 'opr_test_1', 'refund', $2, 1, 'route_a', $3, 'requires_operator_review', 'no answer', 500, 'USD', 's', 'k', 'f', $4, $4)`,
    of,
  )
  await query(`update sandbox.events set state = 'exhausted', due_at = null where payment_id = $1`, [mine])
  await query('insert into sandbox.restores (restored_at, backup_at, skipped_numbers) values ($1, $1, 1)', [
    now,
  ])
  const list = (await operator.get('/sandbox/desk')).text
  const links = [...list.matchAll(/href="([^"]+)" class="row case"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  )
  expect(links.length).toBeGreaterThanOrEqual(7)
  const kinds = new Set<string>()
  for (const link of links) {
    const { status: code, text } = await operator.get(link)
    expect([link, code]).toEqual([link, 200])
    expect(text).toContain('class="advice"')
    expect(text).not.toMatch(/\{\w+\}|undefined/)
    kinds.add(link.split(/[/?]/)[3] ?? '')
  }
  expect(kinds).toEqual(
    new Set(['undecided', 'difference', 'receipt', 'operation', 'events_given_up', 'account', 'restore']),
  )
  const counted = (await countDesk(kassa.ctx, null)).reduce((sum, { count }) => sum + count, 0)
  expect(links).toHaveLength(counted)
  expect((await operator.get('/sandbox/today')).text).toMatch(
    new RegExp(`href="/sandbox/desk" class="number"><strong>${counted}<`),
  )
  // The viewer of one shop sees its own cases, and nothing of the deployment.
  const own = (await viewer.get('/sandbox/desk')).text
  expect(own).toContain(mine)
  expect(own).not.toContain(foreign)
  expect(own).not.toContain('/desk/restore')
  expect((await viewer.get(at('undecided', mine))).text).not.toContain('name="seen"')
  const blank = (text: string, id: string) => text.replaceAll(id, 'ID')
  for (const kind of [
    'undecided',
    'warning',
    'operation',
    'receipt',
    'difference',
    'events_given_up',
    'account',
  ]) {
    const [one, none] = [foreign, foreign.replace(/.{6}$/, '000000')]
    const answers = [await viewer.get(at(kind, one)), await viewer.get(at(kind, none))]
    expect(answers.map(({ status: code }) => code)).toEqual([404, 404])
    expect(blank(answers[0]?.text ?? '', one)).toBe(blank(answers[1]?.text ?? '', none))
  }
  for (const address of [
    at('undecided', other.merchantId),
    at('account', account.id),
    at('nothing', mine),
    at('undecided', 'x'.repeat(1000)),
    `/sandbox/desk/undecided`,
    at('constructor', mine),
  ])
    expect([address, (await viewer.get(address)).status]).toEqual([address, 404])
  expect((await viewer.post(at('undecided', mine), { ...sure, seen: '1' })).status).toBe(403)
  expect((await viewer.get(`/sandbox/desk?after=${'9'.repeat(400)}&kind=x`)).status).toBe(200)
  const { answer } = await operateJson(
    {},
    ['desk', 'show', '--kind', 'undecided', '--id', mine],
    (_s, words) => operateHere(async () => kassa.ctx, words),
  )
  expect(answer).toMatchObject({ case: { subject: mine }, advice: 'ask_provider_again' })
  await query('delete from sandbox.restores')
  await query('delete from sandbox.account_health')
  kassa.ctx.accounts.forget()
  await query(`delete from sandbox.operations where id = 'opr_test_1'`)
})

describe('deciding', () => {
  test('is done once by two at once, in the log with the name, and leads to the next case', async () => {
    const id = await pay('unknown')
    const address = at('undecided', id)
    const form = { ...sure, seen: await seen(operator, address) }
    expect(await seen(colleague, address)).toBe(form.seen)
    const both = await Promise.all([
      operator.post(address, form),
      colleague.post(address, { ...form, choice: 'paid' }),
    ])
    expect(both.map(({ status: code }) => code).sort()).toEqual([303, 409])
    const won = both.find(({ status: code }) => code === 303)
    expect(won?.location).toMatch(/^\/sandbox\/desk\/\w+\/.+\?done=(decided|against)$/)
    expect((await operator.get(won?.location ?? '')).text).toContain('This is the next case.')
    const late = await operator.post(address, form)
    expect(late.status).toBe(409)
    expect(late.text).toContain('This is not on the desk any more')
    expect(late.text).toMatch(/A (operator|administrator)/)
    const rows = (await readAuditChain(kassa.ctx.db, 0, 1_000)).filter(({ about }) => about.includes(id))
    expect(rows.map(({ what, origin }) => [what, origin.split(' ')[0]])).toContainEqual([
      'payment resolve',
      'console',
    ])
    const { rows: changes } = await query(
      `select actor from sandbox.payment_changes where payment_id = $1 and cause = 'operator'`,
      [id],
    )
    expect(changes).toHaveLength(1)
  })

  test('refuses wrong and stale forms in words, and decides nothing', async () => {
    const id = await pay('unknown')
    const address = at('undecided', id)
    const form = { ...sure, seen: await seen(operator, address) }
    for (const wrong of [
      { seen: '0' },
      { seen: '' },
      { choice: '' },
      { choice: 'succeeded' },
      { choice: 'constructor' },
      { why: ' ' },
      { why: 'x'.repeat(241) },
      { why: 'card 4111 1111 1111 1111' },
    ]) {
      const answer = await operator.post(address, { ...form, ...wrong })
      expect([wrong, answer.status]).toEqual([wrong, 422])
      expect(answer.text).toContain('role="alert"')
    }
    expect(await status(id)).toBe('status_unknown')
    const foreign = await pay('unknown', other)
    expect((await viewer.post(at('undecided', foreign), form)).status).toBe(403)
    const requested = await operator.post(`${at('undecided', id)}/ask`, {})
    expect(requested.location).toMatch(/\?asked=(changed|same|unclear)$/)
    expect((await operator.get(requested.location ?? '')).text).toContain('The provider')
  })

  test('is shown once more before it is done, with what was typed', async () => {
    const id = await pay('unknown')
    const address = at('undecided', id)
    const form = { ...sure, why: 'seen <in> the books', seen: await seen(operator, address) }
    const first = await operator.post(address, { ...form, confirm: '' })
    expect([first.status, await status(id)]).toEqual([200, 'status_unknown'])
    expect(first.text).toContain('It failed: nothing has moved')
    expect(first.text).toContain('seen &lt;in> the books')
    const back = await operator.post(address, { ...hiddenIn(first.text), why: form.why, back: 'yes' })
    expect(back.text).toContain('value="seen &lt;in> the books"')
    expect(back.text).toMatch(/value="failed" checked/)
    const card = await operator.post(address, { ...form, confirm: '', why: 'card 4111 1111 1111 1111' })
    expect([card.status, card.text.includes('Yes, decide so')]).toEqual([422, false])
    expect((await operator.post(address, hiddenIn(first.text))).status).toBe(303)
  })

  test('of money that is too little, the page says how much, and paid needs a yes to that sum', async () => {
    const id = await pay('paid', shop, { metadata: { sandboxFault: 'underpaid' } })
    await expect.poll(() => status(id)).toBe('status_unknown')
    const address = at('undecided', id)
    for (const [locale, words] of [
      ['en', 'Only $9.50 of $19.00 was taken.'],
      ['ru', 'Получено только 9,50'],
      ['hy', 'Ստացվել է միայն 9,50'],
    ] as const) {
      await operator.get(`${address}?locale=${locale}`)
      const { text } = await operator.get(address)
      expect([locale, text]).toEqual([locale, expect.stringContaining(words)])
      expect(text).not.toContain('Most likely')
    }
    await operator.get(`${address}?locale=en`)
    const { answer } = await operateJson(
      {},
      ['desk', 'show', '--kind', 'undecided', '--id', id],
      (_s, words) => operateHere(async () => kassa.ctx, words),
    )
    expect(answer.advice).toBe('part_was_taken')
    const show = ['desk', 'show', '--kind', 'undecided', '--id', id]
    const { stdout } = await operateHere(async () => kassa.ctx, show)
    expect(stdout).toContain('Only 9.50 USD of 19.00 USD was taken.')
    const form = {
      ...sure,
      choice: 'paid',
      why: 'a friend of the house',
      seen: await seen(operator, address),
    }
    const { status: code, text } = await operator.post(address, form)
    expect([code, text]).toEqual([422, expect.stringContaining('value="950"')])
    expect(text).toContain('a friend of the house')
    expect(await status(id)).toBe('status_unknown')
    expect((await operator.post(address, { ...form, accepts: '949' })).status).toBe(422)
    const once = await operator.post(address, { ...form, accepts: '950', confirm: '' })
    expect(once.text).toContain('The shop accepts $9.50 in place of $19.00 for this order.')
    expect(once.text).not.toContain('>$19.00<')
    expect((await operator.post(address, hiddenIn(once.text))).status).toBe(303)
    expect(await findPaymentById(kassa.ctx.db, id)).toMatchObject({ status: 'paid', capturedMinor: 950 })
  })

  test('asks for the second factor, as the page of the payment does', async () => {
    const id = await pay('unknown')
    const address = at('undecided', id)
    await forgetProofs(kassa.ctx, unproved.id)
    const form = { ...sure, seen: await seen(operator, address) }
    expect((await unproved.browser.post(address, { ...form, confirm: '' })).text).toContain('data-again="')
    const { status: code, text } = await unproved.browser.post(address, form)
    expect([code, text.includes('data-again="')]).toEqual([422, true])
    expect(await status(id)).toBe('status_unknown')
    expect((await operator.post(address, form)).status).toBe(303)
    expect(await status(id)).toBe('failed')
  })

  test('a receipt that is printed again is in the log as that', async () => {
    const id = await fiscal.pay('route_a', { metadata: { sandboxFault: 'receipt_fails_once' } })
    await fiscal.print()
    const [stuck] = await fiscal.receipts(id)
    const address = at('receipt', stuck?.id ?? '')
    const form = { choice: 'retry', why: 'the roll was empty', confirm: 'yes' }
    const { status: code } = await operator.post(address, { ...form, seen: await seen(operator, address) })
    expect(code).toBe(303)
    const rows = (await readAuditChain(kassa.ctx.db, 0, 1_000)).filter(
      ({ about, origin }) => about.includes(id) && origin.startsWith('console'),
    )
    expect(new Set(rows.map(({ what }) => what))).toEqual(new Set(['receipt retry']))
  })

  test('a warning that came after the page was opened is not settled with the others', async () => {
    const id = await pay('paid')
    await warn(id, 'first')
    const address = at('warning', id)
    const form = { choice: 'settled', why: 'looked into', seen: await seen(operator, address) }
    kassa.clock.advance(1000)
    await warn(id, 'second')
    expect((await operator.post(address, form)).text).toContain('Something has changed')
    const again = { ...form, seen: await seen(operator, address) }
    const both = await Promise.all([operator.post(address, again), colleague.post(address, again)])
    expect(both.map(({ status: code }) => code).sort()).toEqual([303, 409])
  })

  test('a receipt needs its number, a difference is closed with a reason', async () => {
    const [stuck] = await fiscal.receipts(failed)
    const receipt = at('receipt', stuck?.id ?? '')
    const base = { confirm: 'yes', why: 'on the roll', seen: await seen(operator, receipt) }
    expect((await operator.post(receipt, { ...base, choice: 'issued', number: '' })).status).toBe(422)
    expect((await operator.post(receipt, { ...base, choice: 'issued', number: '1042' })).status).toBe(303)
    expect((await fiscal.receipts(failed))[0]).toMatchObject({ status: 'issued', number: '1042' })
    const [account] = (await query('select account_id as id from sandbox.statement_findings')).rows
    const difference = at('difference', `${account.id} one/1 taken`)
    const form = { choice: 'closed', why: 'it will be corrected', seen: await seen(operator, difference) }
    expect((await operator.post(difference, form)).status).toBe(303)
    expect((await operator.post(difference, form)).status).toBe(409)
  })

  test('above the limit a second person must agree, and the case stays', async () => {
    await storeLimit(kassa.ctx.db, 'USD', 500)
    const id = await pay('unknown')
    const address = at('undecided', id)
    const { location } = await operator.post(address, { ...sure, seen: await seen(operator, address) })
    expect(location).toMatch(/done=proposed$/)
    const row = (await operator.get('/sandbox/desk?kind=approval')).text
    expect(row).toContain('<strong>Deciding the outcome of a payment</strong>')
    expect(row).toContain(` · Test shop · ${shortNumber(id)} · proposed by`)
    expect(await status(id)).toBe('status_unknown')
    await storeLimit(kassa.ctx.db, 'USD', null)
  })
})
