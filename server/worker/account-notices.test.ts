/** Mails to the operator about the health of accounts, sent to a real mail server. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { noteUnwell, noteWell } from '../accounts/health.ts'
import { setAccount } from '../accounts/set.ts'
import { openShop } from '../testing/harness.ts'
import { decodedHeader, headersOf, partsOf, startMailServer } from '../testing/mail-server.ts'
import { operateHere } from '../testing/operator.ts'
import { closeAfter, openKassa } from '../testing/scene.ts'
import { NOTICE_AFTER_MS, NOTICES_AN_HOUR, noticeAccounts } from './account-notices.ts'
import { PAUSES_MS, startMails } from './mails.ts'

const HOUR_MS = 3_600_000
const REFUSED = { state: 'refusing', refusal: 'credentials', reason: 'It does not accept the key.' } as const
const AWAY = { state: 'away', reason: 'The provider does not answer.' } as const

const server = closeAfter(await startMailServer())
const kassa = await openKassa({
  settings: {
    SMTP_URL: server.url,
    MAIL_FROM: 'receipts@pay.example',
    OPERATOR_EMAIL: 'operator@pay.example',
  },
})
beforeEach(() => {
  server.arrived.length = 0
  kassa.clock.advance(HOUR_MS + 1)
})
afterEach(() => {
  server.faults.length = 0
})

/** A merchant with an account of its own. Returns the account's id. */
async function openAccount(name = 'Tea House'): Promise<string> {
  const { merchantId } = await openShop(kassa.ctx)
  await kassa.ctx.db.query('update kassa.merchants set name = $2 where id = $1', [merchantId, name])
  const CUSTOMER = `customer-${merchantId.slice(-8)}`
  const SECRET = kassa.ctx.sandbox.bank.customers.secretOf(CUSTOMER)
  const given = { merchantId, route: 'route_a', driver: 'sandbox', currencies: undefined } as const
  const { accountId } = await setAccount(kassa.ctx, { ...given, written: { CUSTOMER, SECRET } })
  await reread()
  return accountId
}
async function reread(): Promise<void> {
  kassa.ctx.accounts.forget()
  await kassa.ctx.accounts.read()
}
async function afterwards(ms: number): Promise<void> {
  kassa.clock.advance(ms)
  await reread()
  await noticeAccounts(kassa.ctx)
  const mails = startMails(kassa.ctx)
  await mails.turn()
  await mails.settle()
  await mails.stop()
}
const letters = () =>
  server.arrived.map((letter) => ({
    subject: decodedHeader(headersOf(letter).subject ?? ''),
    to: letter.to,
    ...partsOf(letter),
  }))

test('the operator is told what happened to which account, why, and what to do, and when it is over', async () => {
  const id = await openAccount()
  await noteUnwell(kassa.ctx, id, REFUSED)
  await afterwards(NOTICE_AFTER_MS - 1_000)
  expect(letters()).toEqual([])
  await afterwards(1_000)
  const [letter] = letters()
  expect(letter).toMatchObject({
    subject: '[Test mode] The account of Tea House at Simulated bank is refused by its provider',
    to: ['operator@pay.example'],
  })
  for (const part of [id, 'route_a', 'Tea House', REFUSED.reason, 'Give the account valid credentials.'])
    for (const text of [letter?.text, letter?.html]) expect(text).toContain(part)
  expect(letter?.text).toContain(`Command: npm run -s admin -- account test --account ${id}`)
  await afterwards(2 * HOUR_MS)
  expect(letters()).toHaveLength(1)

  await noteWell(kassa.ctx, id)
  await afterwards(NOTICE_AFTER_MS)
  const [, over] = letters()
  expect(over?.subject).toBe('[Test mode] The account of Tea House at Simulated bank is well again')
  expect(over?.text).toContain('It was not well for: 2 h 2 min')
  const { stdout } = await operateHere(async () => kassa.ctx, ['mail', 'list'])
  expect(stdout).toMatch(new RegExp(`health of accounts +sent +1 +${id}`))
})

test('a flap makes no mail, and an account that flaps all the time makes one', async () => {
  const id = await openAccount()
  await noteUnwell(kassa.ctx, id, AWAY)
  await afterwards(20_000)
  await noteWell(kassa.ctx, id)
  for (let minute = 0; minute < 5; minute++) await afterwards(60_000)
  expect(letters()).toEqual([])
  for (let turn = 0; turn < 10; turn++) {
    await noteUnwell(kassa.ctx, id, AWAY)
    await afterwards(20_000)
    await noteWell(kassa.ctx, id)
    await afterwards(20_000)
  }
  expect(letters()).toHaveLength(1)
  for (let minute = 0; minute < 3; minute++) await afterwards(60_000)
  expect(letters()).toHaveLength(2)
})

test('of ten workers at once one sends the mail, and a mail server that is away delays it only', async () => {
  const id = await openAccount()
  await noteUnwell(kassa.ctx, id, REFUSED)
  kassa.clock.advance(NOTICE_AFTER_MS)
  await reread()
  // Opens the connections first, so that the workers really run at once.
  await Promise.all(Array.from({ length: 10 }, () => kassa.ctx.db.query('select pg_sleep(0.1)')))
  await Promise.all(Array.from({ length: 10 }, () => noticeAccounts(kassa.ctx)))
  server.faults.push('busy')
  await afterwards(0)
  expect(letters()).toEqual([])
  await afterwards((PAUSES_MS[0] ?? 0) * 1.2)
  expect(letters()).toHaveLength(1)
  await noteWell(kassa.ctx, id)
  await afterwards(NOTICE_AFTER_MS)
})

test('beyond the limit of an hour all changes are told in one mail, after the hour', async () => {
  const ids = []
  for (let count = 0; count < NOTICES_AN_HOUR + 3; count++) {
    const id = await openAccount(`Shop ${count}`)
    ids.push(id)
    await noteUnwell(kassa.ctx, id, AWAY)
    await afterwards(NOTICE_AFTER_MS)
  }
  expect(letters()).toHaveLength(NOTICES_AN_HOUR)
  await afterwards(HOUR_MS)
  expect(letters()).toHaveLength(NOTICES_AN_HOUR + 1)
  const last = letters().at(-1)
  expect(last?.subject).toBe('[Test mode] 3 provider accounts have changed')
  for (const id of ids.slice(NOTICES_AN_HOUR)) expect(last?.text).toContain(id)
  for (const id of ids) await noteWell(kassa.ctx, id)
  await afterwards(NOTICE_AFTER_MS)
})

test('a worker that dies between the mark and the mail leaves both undone', async () => {
  const id = await openAccount()
  await noteUnwell(kassa.ctx, id, REFUSED)
  kassa.clock.advance(NOTICE_AFTER_MS)
  await reread()
  const { db } = kassa.ctx
  await db.query(
    `create function sandbox.fail() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
     create trigger fail before insert on sandbox.mails for each row execute function sandbox.fail()`,
  )
  await expect(noticeAccounts(kassa.ctx)).rejects.toThrow()
  await db.query('drop trigger fail on sandbox.mails; drop function sandbox.fail()')
  await afterwards(1_000)
  expect(letters()).toHaveLength(1)
})
