/** The manual route with a bank account: what the buyer reads and gets by mail, and how the money is confirmed. */
import { beforeEach, describe, expect, test } from 'vitest'
import { readDriverSettings } from '../../accounts/driver-settings.ts'
import { shortNumber } from '../../id.ts'
import { translate } from '../../messages/translate.ts'
import { listMails } from '../../storage/mails/mails.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { createSession, readPage, sessionRequest } from '../../testing/calls.ts'
import { argv } from '../../testing/command-line.ts'
import { openShop, type Shop } from '../../testing/harness.ts'
import { partsOf, startMailServer } from '../../testing/mail-server.ts'
import { operateHere } from '../../testing/operator.ts'
import { closeAfter, openKassa } from '../../testing/scene.ts'
import { startMails } from '../../worker/mails.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { qrTextOf } from './transfer.ts'

const IBAN = 'DE89370400440532013000'
const GIVEN = { RECIPIENT: 'Teehaus Müller', BANK: 'Sparkasse', ACCOUNT: IBAN, BIC: 'cobadeff', DAYS: '5' }
const DAY_MS = 86_400_000

let shop: Shop
const server = closeAfter(await startMailServer())
const own = Object.entries(GIVEN).map(([name, value]) => [`ROUTE_MANUAL_${name}`, value])
const mail = { SMTP_URL: server.url, MAIL_FROM: 'receipts@pay.example' }
const kassa = await openKassa({ settings: { ...mail, ...Object.fromEntries(own) } })
beforeEach(async () => {
  shop = await openShop(kassa.ctx)
  server.arrived.length = 0
})

let orders = 0
async function open(fields: Record<string, unknown> = {}) {
  const body = sessionRequest({ merchantOrderId: `t-${++orders}`, provider: 'manual', ...fields })
  return (await createSession(kassa.url, shop, { body })).body
}
async function operate(...args: string[]) {
  const { code, stdout } = await operateHere(async () => kassa.ctx, [...args, '--json'])
  return { code, answer: JSON.parse(stdout) }
}
async function mailAll(): Promise<void> {
  await SWEEPS.statusSync(kassa.ctx)
  const mails = startMails(kassa.ctx)
  await mails.turn()
  await mails.settle()
  await mails.stop()
}

describe('the settings of the account', () => {
  const read = (given: Record<string, string>) =>
    readDriverSettings('manual', { ...GIVEN, ...given }, { prefix: '', world: 'live', owner: null })

  test.each([
    'DE89 3704 0044 0532 0130 00',
    'de89370400440532013000',
    '2500 1234 5678 9012',
    'GB82WEST12345698765432',
  ])('%s is an account', (ACCOUNT) => expect(read({ ACCOUNT }).wrong).toEqual([]))
  test.each([
    'DE88370400440532013000',
    'DE89370400440532013001',
    'DE8937',
    '12',
    'x'.repeat(35),
    'DE89 3704 0044 0532 0130 0O',
  ])('%s is none', (ACCOUNT) =>
    expect(read({ ACCOUNT }).wrong).toEqual([expect.stringContaining('ACCOUNT must be an IBAN')]),
  )
  test.each(['\n', '\r', '\t', '\u0085', '\u2028', '\u2029', '\u061c', '\u202e', '\u2066'])(
    'a name with %j is no line of text',
    (sign) => {
      const name = `Teehaus${sign}GB82WEST12345698765432`
      expect(read({ RECIPIENT: name }).wrong).toEqual([expect.stringContaining('RECIPIENT must be one line')])
      expect(read({ BANK: name }).wrong).toEqual([expect.stringContaining('BANK must be one line')])
    },
  )
  test('an account needs its recipient, and a date needs days', () => {
    const { RECIPIENT: _, ...rest } = GIVEN
    const nameless = readDriverSettings('manual', rest, { prefix: '', world: 'live', owner: null })
    expect([nameless.driver, nameless.missing]).toEqual([null, ['RECIPIENT']])
    expect(read({ DAYS: '91' }).wrong).toEqual([expect.stringContaining('from 1 to 90')])
  })
})

test('the page tells in each language where the money goes, what to write, and until when', async () => {
  const { id } = await open()
  const payment = await findPaymentById(kassa.ctx.db, id)
  if (!payment) throw new Error('no payment')
  expect(payment.expiresAt.getTime() - payment.createdAt.getTime()).toBe(5 * DAY_MS)
  for (const locale of ['en', 'hy', 'ru'] as const) {
    const { html } = await readPage(`${kassa.url}/checkout/${id}`, locale)
    expect(html).toContain(translate(locale, 'pages.transferTitle'))
    for (const part of [
      'Teehaus Müller',
      'Sparkasse',
      'DE89 3704 0044 0532 0130 00',
      'COBADEFF',
      shortNumber(id),
    ])
      expect(html).toContain(`<bdi>${part}</bdi>`)
    expect(html).toContain(translate(locale, 'pages.keptUntil'))
    expect(html).not.toContain('data-testid="transfer-qr"')
  }
  const euros = await open({ currency: 'EUR' })
  expect((await readPage(`${kassa.url}/checkout/${euros.id}`)).html).toContain('data-testid="transfer-qr"')
})

test('the QR code has what EPC069-12 asks for', () => {
  const account = {
    recipient: 'Teehaus Müller',
    bank: null,
    number: 'DE89 3704 0044',
    isIban: true,
    bic: 'COBADEFF',
  }
  const text = qrTextOf({ account, reference: 'MAPZ 2VEK' }, { amountMinor: 190005, currency: 'EUR' })
  expect(text?.split('\n')).toEqual([
    'BCD',
    '002',
    '1',
    'SCT',
    'COBADEFF',
    'Teehaus Müller',
    'DE8937040044',
    'EUR1900.05',
    '',
    '',
    'MAPZ 2VEK',
  ])
  expect(qrTextOf({ account, reference: 'A' }, { amountMinor: 190005, currency: 'AMD' })).toBe(null)
  expect(
    qrTextOf({ account: { ...account, isIban: false }, reference: 'A' }, { amountMinor: 1, currency: 'EUR' }),
  ).toBe(null)
  // Such a name, stored by an earlier version, would put another account and amount into the code.
  for (const recipient of ['Teehaus\nGB82WEST12345698765432\nEUR9.00', 'Teehaus\u2028', '\u202eTeehaus'])
    expect(
      qrTextOf({ account: { ...account, recipient }, reference: 'A' }, { amountMinor: 1, currency: 'EUR' }),
    ).toBe(null)
})

test('a buyer with an address gets the account at once, one reminder before the date, and nothing once the money is there', async () => {
  const waiting = await open({ customer: { email: 'ani@example.com' } })
  const paid = await open({ customer: { email: 'bo@example.com' } })
  await open()
  await mailAll()
  await mailAll()
  expect(server.arrived.map(({ to }) => to[0]).sort()).toEqual(['ani@example.com', 'bo@example.com'])
  const first = server.arrived.find(({ to }) => to[0] === 'ani@example.com')
  if (!first) throw new Error('no mail')
  expect(partsOf(first).text).toContain(`Reference to write: ${shortNumber(waiting.id)}`)
  expect(partsOf(first).text).toContain('DE89 3704 0044 0532 0130 00')
  await operate('payment', 'confirm', '--payment', paid.id, '--reference', `R-${paid.id}`)
  await mailAll()
  server.arrived.length = 0
  kassa.clock.advance(3 * DAY_MS - 60_000)
  await mailAll()
  expect(server.arrived).toEqual([])
  kassa.clock.advance(120_000)
  await mailAll()
  await mailAll()
  expect(server.arrived.map(({ to }) => to[0])).toEqual(['ani@example.com'])
  const kinds = (await listMails(kassa.ctx.db, { paymentId: waiting.id, limit: 9 })).map(({ kind }) => kind)
  expect(kinds).toEqual(['transfer_reminder', 'transfer'])
  kassa.clock.advance(3 * DAY_MS)
  await mailAll()
  expect(server.arrived).toHaveLength(1)
  const { html } = await readPage(`${kassa.url}/checkout/${waiting.id}`)
  expect(html).toContain(translate('en', 'pages.transferOverTitle'))
  expect(html).not.toContain('DE89 3704')
  const late = await operate('payment', 'confirm', '--payment', waiting.id, '--reference', `R-${waiting.id}`)
  expect(late.answer.payment.status).toBe('paid')
})

test('money is confirmed by the number that the buyer wrote, and another amount is asked about', async () => {
  const { id } = await open()
  const spoken = shortNumber(id).toLowerCase().replace(' ', '')
  const confirm = (amount: string, ...more: string[]) =>
    operate('payment', 'confirm', '--number', spoken, '--reference', `RF ${id}`, '--amount', amount, ...more)
  const less = await confirm('15.00')
  expect([less.code, less.answer.error.message]).toEqual([
    1,
    expect.stringMatching(/for 19\.00 USD, and 15\.00 USD/),
  ])
  expect((await operate('payment', 'show', '--payment', id)).answer.payment.status).toBe('pending_redirect')
  const accepted = await confirm('15.00', '--accept-amount')
  expect(accepted.answer.payment).toMatchObject({ status: 'paid', amountMinor: 1900, capturedMinor: 1500 })
  expect(accepted.answer.timeline.at(-1).detail).toContain('15.00 USD arrived')
  const more = await open()
  const surplus = await operate(
    ...argv`payment confirm --payment ${more.id} --reference ${`RF ${more.id}`}`,
    ...argv`--amount 20.00 --accept-amount`,
  )
  expect(surplus.answer.payment).toMatchObject({ status: 'paid', capturedMinor: 1900 })
  expect(surplus.answer.timeline.at(-1).detail).toContain('1.00 is too much')
  const twice = await operate('payment', 'confirm', '--number', spoken, '--payment', id, '--reference', 'R')
  expect(twice.answer.error.message).toContain('--payment or by --number')
  const nobody = await operate('payment', 'confirm', '--number', 'ZZZZ ZZZZ', '--reference', 'R')
  expect(nobody.answer.error.code).toBe('payment_not_found')
})
