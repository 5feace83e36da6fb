/** Those who may approve are told by mail that a proposal waits: once, with the sum and the shop, without secrets, and never its proposer. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { addUser } from '../../access/users.ts'
import type { Person, UserRole } from '../../audit/people.ts'
import { storeLimit } from '../../storage/audit/proposals.ts'
import { inTransaction } from '../../storage/db.ts'
import { createSession, sessionRequest } from '../../testing/calls.ts'
import { startDesk } from '../../testing/console.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import { type MailServer, partsOf, startMailServer } from '../../testing/mail-server.ts'
import { mortalDb } from '../../testing/mortal-db.ts'
import { proposeAs } from '../../testing/scene/people.ts'
import { startMails } from '../../worker/mails.ts'
import { doOrPropose } from './approvals.ts'
import { refuseProposal } from './refuse.ts'

const APPROVERS = ['davit@pay.example', 'gor@pay.example']
let server: MailServer
let kassa: Kassa
let shop: Shop
let ani: Person
beforeAll(async () => {
  server = await startMailServer()
  const settings = { SMTP_URL: server.url, MAIL_FROM: 'pay@pay.example', OPERATOR_LOCALE: 'ru' }
  kassa = await startKassa({ settings })
  shop = await openShop(kassa.ctx)
  ani = await person('Ani', 'administrator')
  await person('Davit', 'operator')
  await person('Gor', 'administrator')
  await person('Vera', 'viewer')
  await person('Shop', 'shop', shop.merchantId)
  await addUser(kassa.ctx, { name: 'Host', role: 'operator' })
  await inTransaction(kassa.ctx.db, (tx) => storeLimit(tx, 'USD', 50_000))
})
afterEach(async () => {
  server.arrived.length = 0
  await kassa.ctx.db.query('delete from sandbox.mails')
  await kassa.ctx.db.query('delete from kassa.proposals')
})
afterAll(async () => {
  await kassa.close()
  await server.close()
})

async function person(name: string, role: UserRole, merchantId: string | null = null): Promise<Person> {
  const email = `${name.toLowerCase()}@pay.example`
  return (await addUser(kassa.ctx, { name, role, email, merchantId })).operator
}
let orders = 0
async function open(): Promise<string> {
  const key = `waits-${orders++}`
  const body = sessionRequest({ merchantOrderId: key, provider: 'manual', amountMinor: 76_543 })
  return (await createSession(kassa.url, shop, { key, body })).body.id
}
const confirm = (paymentId: string, ctx = kassa.ctx) =>
  proposeAs(ctx, ani, 'payment confirm', { paymentId, reference: 'RF1' })
const stored = async () =>
  (
    await kassa.ctx.db.query<{ to: string; approvalId: string }>(
      `select notice->>'to' as "to", notice->>'approvalId' as "approvalId" from sandbox.mails
       where kind = 'approval_waits' order by 1`,
    )
  ).rows
const states = async () => (await kassa.ctx.db.query('select state, failure from sandbox.mails')).rows
async function sendAll(): Promise<string> {
  const mails = startMails(kassa.ctx)
  const isWaiting = async () => (await states()).some(({ state }) => state === 'waiting')
  while (await isWaiting()) {
    await mails.turn()
    await mails.settle()
  }
  await mails.stop()
  return server.arrived.map((each) => partsOf(each).text).join('\n')
}

test('each of them gets one mail, also if the button is pressed again', async () => {
  const paymentId = await open()
  const approvalId = await confirm(paymentId)
  await confirm(paymentId)
  await Promise.all([confirm(paymentId), confirm(paymentId)])
  expect(await stored()).toEqual(APPROVERS.map((to) => ({ to, approvalId })))
})

test('the mail names act, sum, shop, who has proposed it and how to open it, in the language of the operators', async () => {
  const desk = await startDesk(kassa.worlds)
  const id = await confirm(await open())
  const text = await sendAll()
  expect(server.arrived.map(({ to }) => to[0]).sort()).toEqual(APPROVERS)
  for (const part of ['Нужен второй человек', '765,43', 'Test shop', 'Ani', id]) expect(text).toContain(part)
  expect(text).toContain(`approval show --approval ${id} --sandbox`)
  await desk.close()
})

test('no mail has a secret or a link that opens something', async () => {
  await doOrPropose(kassa.ctx, ani, 'token issue', { merchantId: shop.merchantId })
  await doOrPropose(kassa.ctx, ani, 'user reset', { user: 'Gor' })
  const written = { RECIPIENT: 'Shop', BANK: 'A bank', ACCOUNT: '9876543210' }
  const wanted = { merchantId: shop.merchantId, route: 'manual', driver: 'manual', written } as const
  await doOrPropose(kassa.ctx, ani, 'account set', {
    ...wanted,
    currencies: ['USD'],
    unchecked: false,
  })
  const text = await sendAll()
  expect(server.arrived).toHaveLength(6)
  expect(text).not.toMatch(/ksk_|kop_|\/link\/|9876543210/)
})

test('whatever statement fails, a proposal and its mails are stored together or not at all', async () => {
  for (let point = 1; ; point++) {
    const paymentId = await open()
    const isDone = await confirm(paymentId, { ...kassa.ctx, db: mortalDb(kassa.ctx.db, point) }).then(
      () => true,
      () => false,
    )
    const { rows } = await kassa.ctx.db.query('select id from kassa.proposals where about like $1', [
      `${paymentId}%`,
    ])
    const mails = (await stored()).filter(({ approvalId }) => approvalId === rows[0]?.id)
    expect([point, mails.length]).toEqual([point, rows.length * APPROVERS.length])
    if (isDone) break
  }
  expect(await stored()).not.toEqual([])
})

test('what was decided before the mail left is told to nobody', async () => {
  await refuseProposal(kassa.ctx, ani, await confirm(await open()))
  await sendAll()
  expect(server.arrived).toEqual([])
  expect(await states()).toEqual(
    APPROVERS.map(() => ({ state: 'withheld', failure: 'The proposal was decided, or has expired.' })),
  )
})

test('many proposals fill no mailbox', async () => {
  for (let count = 0; count < 25; count++) await confirm(await open())
  expect(await stored()).toHaveLength(20 * APPROVERS.length)
})
