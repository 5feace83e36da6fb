/** Asking for the bank account of a shop: what it leaves alone, and what makes it stale. */
import { expect, test } from 'vitest'
import { retireAccount } from '../../accounts/manage.ts'
import { setAccount } from '../../accounts/set.ts'
import { addOperator } from '../../audit/people.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import { confirmPayment } from '../../payments/decisions/payment.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { createSession, sessionRequest } from '../../testing/calls.ts'
import { openShop, type Shop } from '../../testing/harness.ts'
import { grantAs } from '../../testing/scene/people.ts'
import { openScene } from '../../testing/scene.ts'
import { getApproval } from '../approvals/approval.ts'
import { askBankAccount, listBankAccounts, listWaiting } from './bank-account.ts'

let count = 0
/** One number belongs to one shop. */
const newNumber = () => `1111 2222 3333 ${1_000 + ++count}`
const settings = { ROUTE_MANUAL_RECIPIENT: 'The deployment', ROUTE_MANUAL_ACCOUNT: '9999 8888 7777 6666' }
const { kassa, shop } = await openScene({ settings })
const ani = (await addOperator(kassa.ctx, { name: 'Ani', role: 'administrator' })).operator
const davit = (await addOperator(kassa.ctx, { name: 'Davit', role: 'operator' })).operator

async function ask(currency: CurrencyCode, account: string, of = shop) {
  const given = {
    merchantId: of.merchantId,
    currency,
    recipient: 'Shop',
    account,
    bank: '',
    bic: '',
    days: '7',
  }
  return (await askBankAccount(kassa.ctx, ani, given)).proposal.id
}
const grant = (id: string) => grantAs(kassa.ctx, davit, id)
const use = async (currency: CurrencyCode, account: string, of = shop) =>
  grant(await ask(currency, account, of))
const set = (account: string, currencies: CurrencyCode[] | undefined, of = shop) =>
  setAccount(kassa.ctx, {
    merchantId: of.merchantId,
    route: 'manual',
    driver: 'manual',
    currencies,
    written: { RECIPIENT: 'Shop', ACCOUNT: account },
  })
async function open(currency: CurrencyCode, of: Shop) {
  kassa.ctx.accounts.forget()
  const body = sessionRequest({ merchantOrderId: `bank-${++count}`, provider: 'manual', currency })
  const { body: session } = await createSession(kassa.url, of, { key: `bank-${count}`, body })
  return findPaymentById(kassa.ctx.db, session.id)
}
/** The number that the buyer of a new payment reads. */
async function paidTo(currency: CurrencyCode, of: Shop): Promise<string | undefined> {
  const payment = await open(currency, of)
  const { byId } = await kassa.ctx.accounts.read()
  return byId.get(payment?.attempt.accountId ?? '')?.record.settings.ACCOUNT
}
const inUse = async ({ merchantId }: Shop) =>
  (await listBankAccounts(kassa.ctx, merchantId)).map(({ settings, currencies }) => [
    settings.ACCOUNT,
    currencies,
  ])

test('the same number for another currency keeps the currency that it has', async () => {
  const number = newNumber()
  const own = await openShop(kassa.ctx)
  await use('USD', number, own)
  await use('EUR', number, own)
  expect(await inUse(own)).toEqual([[number, ['USD', 'EUR']]])
  expect([await paidTo('USD', own), await paidTo('EUR', own)]).toEqual([number, number])
})

test('another number for one currency leaves the others with the account before it', async () => {
  const [number, other] = [newNumber(), newNumber()]
  const own = await openShop(kassa.ctx)
  await set(number, ['USD', 'EUR'], own)
  await use('EUR', other, own)
  expect([await paidTo('USD', own), await paidTo('EUR', own)]).toEqual([number, other])
  await use('USD', other, own)
  expect(await inUse(own)).toEqual([[other, ['USD', 'EUR']]])
})

test('a retired account that returns for one currency lets none of its others fall to the deployment', async () => {
  const [number, other] = [newNumber(), newNumber()]
  const own = await openShop(kassa.ctx)
  const { accountId } = await set(number, ['USD', 'EUR', 'AMD'], own)
  await retireAccount(kassa.ctx, accountId)
  await use('AMD', other, own)
  await use('EUR', number, own)
  expect([await paidTo('USD', own), await paidTo('EUR', own), await paidTo('AMD', own)]).toEqual([
    number,
    number,
    other,
  ])
})

test('a number written in another way is the same account, also one that an earlier version has stored', async () => {
  const [own, other] = [await openShop(kassa.ctx), await openShop(kassa.ctx)]
  await use('EUR', 'DE89 3704 0044 0532 0130 00', own)
  const first = await open('EUR', own)
  await kassa.ctx.db.query(
    `update sandbox.accounts set identity = '["DE89 3704 0044 0532 0130 00"]' where owner = $1`,
    [own.merchantId],
  )
  await use('EUR', 'de89-37040044-0532013000', own)
  const second = await open('EUR', own)
  expect(second?.attempt.accountId).toBe(first?.attempt.accountId)
  const confirm = (id: string) => confirmPayment(kassa.ctx, id, { reference: 'REF-1', actor: 'Ani' })
  await confirm(first?.id ?? '')
  await expect(confirm(second?.id ?? '')).rejects.toThrow()
  await expect(set('DE89 37040044 0532013000', ['USD'], other)).rejects.toThrow('belongs to the merchant')
})

test('asks at the same moment leave one that waits', async () => {
  const own = await openShop(kassa.ctx)
  const [number, other] = [newNumber(), newNumber()]
  await Promise.all([number, number, other, number, other].map((each) => ask('USD', each, own)))
  expect(await listWaiting(kassa.ctx, own.merchantId)).toHaveLength(1)
})

test('is not granted once the account was set by somebody else since', async () => {
  const own = await openShop(kassa.ctx)
  const [number, newer] = [newNumber(), newNumber()]
  const id = await ask('USD', number, own)
  expect(await getApproval(kassa.ctx, id)).toMatchObject({ hasMoved: false })
  await set(newer, ['USD'], own)
  const { facts, hasMoved } = await getApproval(kassa.ctx, id)
  expect(hasMoved).toBe(true)
  expect(facts).toContainEqual({ name: 'accountNumber', after: { text: number }, before: { text: newer } })
  await expect(grant(id)).rejects.toThrow("The shop's account has changed")
  expect(await paidTo('USD', own)).toBe(newer)
  const again = await ask('USD', number, own)
  expect(await getApproval(kassa.ctx, again)).toMatchObject({ hasMoved: false })
  await grant(again)
  expect(await paidTo('USD', own)).toBe(number)
})

test('the same again after another account was set is asked for anew', async () => {
  const own = await openShop(kassa.ctx)
  const number = newNumber()
  const first = await ask('USD', number, own)
  expect(await ask('USD', number, own)).toBe(first)
  await set(newNumber(), ['USD'], own)
  expect(await ask('USD', number, own)).not.toBe(first)
  expect(await listWaiting(kassa.ctx, own.merchantId)).toHaveLength(1)
})

test('what can never be granted is not asked for', async () => {
  const [own, other] = [await openShop(kassa.ctx), await openShop(kassa.ctx)]
  const number = newNumber()
  await set(number, undefined, other)
  await expect(ask('USD', number, own)).rejects.toMatchObject({
    details: { errors: { bankTaken: expect.any(String) } },
  })
  expect(await listWaiting(kassa.ctx, own.merchantId)).toEqual([])
})
