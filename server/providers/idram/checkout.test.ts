/** The form that a buyer's browser posts to Idram, and what `account test` says. */
import { expect, test } from 'vitest'
import { arrive, settingsOf } from '../../testing/providers/idram/bench.ts'
import { startIdramServer } from '../../testing/providers/idram/server.ts'
import type { CheckoutRequest } from '../driver.ts'
import { check } from './check.ts'
import { idramDriver } from './driver.ts'
import { IdramSettings } from './settings.ts'

const ATTEMPT: CheckoutRequest = {
  reference: 'a0000000000000000000000000',
  orderReference: 'order-7',
  paymentReference: 'a0000000000000000000000000',
  amountMinor: 190_000,
  currency: 'AMD',
  merchantName: 'Tea house',
  description: null,
  language: null,
  returnUrl: 'https://pay.example/return',
  callbackUrl: 'https://pay.example/callbacks/acc_x',
  expiresAt: new Date('2027-01-01T00:00:00Z'),
  customer: { email: 'planted-buyer@example.com' },
  metadata: { planted: 'planted-note' },
}
const settings = IdramSettings.parse({ REC_ACCOUNT: '100000114', SECRET_KEY: 'planted-secret' })
function formOf(changes: Partial<CheckoutRequest> = {}, own = settings) {
  const opened = idramDriver.composeCheckout?.({ settings: own }, { ...ATTEMPT, ...changes })
  if (opened?.kind !== 'form') throw new Error('no form')
  return opened
}

test('the form has the fields of the document, and nothing of the buyer or of the secret', () => {
  const { action, fields } = formOf()
  expect(action).toBe('https://banking.idram.am/Payment/GetPayment')
  expect(fields).toEqual({
    EDP_LANGUAGE: 'AM',
    EDP_REC_ACCOUNT: '100000114',
    EDP_DESCRIPTION: 'order-7',
    EDP_AMOUNT: '1900.00',
    EDP_BILL_NO: ATTEMPT.reference,
  })
  expect(JSON.stringify(formOf())).not.toContain('planted')
})

test.each([
  ['hy', 'AM'],
  ['ru', 'RU'],
  ['en', 'EN'],
] as const)('a buyer who reads %s gets the page in %s', (language, pageLanguage) => {
  expect(formOf({ language }).fields.EDP_LANGUAGE).toBe(pageLanguage)
})

test('a description in any alphabet and with line breaks is one line, and arrives as it was', async () => {
  const server = await startIdramServer(() => new Date())
  const description = `Ուրց «լեռնային»\r\n100 г & "чай" 🍵 ${'է'.repeat(200)}`
  const opened = formOf({ description, language: 'hy' }, settingsOf(server.address))
  const bill = server.bills.get(await arrive(opened))
  expect(bill?.description).toBe(opened.fields.EDP_DESCRIPTION)
  expect(bill).toMatchObject({ language: 'AM', amount: '1900.00', email: 'shop@example.com' })
  expect(bill?.description).toMatch(/^order-7 Ուրց «լեռնային» 100 г & "чай" 🍵 է+$/)
  expect([...(bill?.description ?? '')]).toHaveLength(120)
  await server.close()
})

const checkOf = (callbackUrl: string) =>
  check(
    { settings, account: { live: true } },
    { callbackUrl, returnUrl: callbackUrl.replace('callbacks', 'returns') },
  )
test('account test names the addresses that the staff of Idram set up, and one that they cannot reach', async () => {
  const found = await checkOf('https://pay.example.com/callbacks/acc_x')
  const texts = found.map(({ message }) => message).join('\n')
  expect(texts).toContain('https://pay.example.com/callbacks/acc_x')
  expect(texts).toContain('https://pay.example.com/returns/acc_x')
  expect(texts).toContain('a live one')
  expect(found.map(({ state }) => state)).not.toContain('problem')
  for (const url of [
    'http://pay.example.com/callbacks/a',
    'https://localhost/callbacks/a',
    'https://10.0.0.1/a',
  ])
    expect((await checkOf(url)).filter(({ state }) => state === 'problem')).toHaveLength(1)
})
