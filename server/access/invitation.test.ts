/** A person who is added in the console gets the link by mail, where mails are sent. No secret is stored, and a replaced link is dead. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createMerchant } from '../operator/create-merchant.ts'
import { type Desk, hiddenIn, openAs, startDesk, type TestBrowser, withPasskey } from '../testing/console.ts'
import { type Kassa, startKassa } from '../testing/harness.ts'
import { type MailServer, partsOf, startMailServer } from '../testing/mail-server.ts'
import { type Mails, startMails } from '../worker/mails.ts'
import { changeUser } from './users.ts'

const PEOPLE = '/sandbox/users'
let server: MailServer
let kassa: Kassa
let desk: Desk
let mails: Mails
let root: TestBrowser
let merchantId: string
beforeAll(async () => {
  server = await startMailServer()
  kassa = await startKassa({ settings: { SMTP_URL: server.url, MAIL_FROM: 'pay@pay.example' } })
  desk = await startDesk(kassa.worlds)
  mails = startMails(kassa.ctx)
  ;({ merchantId } = await createMerchant(kassa.ctx, { name: 'Potter' }))
  const values = { name: 'Root', role: 'administrator', email: 'root@pay.example' } as const
  root = await withPasskey(kassa.ctx, desk, await openAs(kassa.ctx, desk, values))
})
afterAll(async () => {
  await mails.stop()
  await desk.close()
  await kassa.close()
  await server.close()
})
beforeEach(() => {
  server.arrived.length = 0
})

const add = (name: string) =>
  root.post(`${PEOPLE}/new`, {
    name,
    role: 'shop',
    email: `${name.toLowerCase()}@shop.example`,
    shop: merchantId,
    limits: '',
  })

async function idOf(name: string): Promise<string> {
  const { rows } = await kassa.ctx.db.query<{ id: string }>(
    'select id from kassa.operators where name = $1',
    [name],
  )
  return rows[0]?.id ?? ''
}

/** Sends what is due. Returns the link of the last mail that arrived. */
async function send(): Promise<string | undefined> {
  await mails.turn()
  await mails.settle()
  const text = server.arrived.map((mail) => partsOf(mail).text).findLast((each) => each.includes('/link/'))
  return /\/link\/[\w-]+/.exec(text ?? '')?.[0]
}

const opens = async (path: string | undefined) => (await root.get(path ?? '')).status === 200

async function storedSecrets(path: string): Promise<boolean> {
  const { rows } = await kassa.ctx.db.query(
    `select notice::text from sandbox.mails where kind = 'invitation'`,
  )
  return rows.some(({ notice }) => notice.includes(path.replace('/link/', '')))
}

test('the mail has the link, the screen says so and shows none, and the link opens the first sign-in', async () => {
  const { text } = await add('Davit')
  expect([text.includes('davit@shop.example'), text.includes('/link/')]).toEqual([true, false])
  const link = await send()
  expect([await opens(link), await storedSecrets(link ?? '-')]).toEqual([true, false])
  expect(server.arrived).toHaveLength(1)
})

test('a link that was replaced meanwhile is not mailed, and the one that is shown works', async () => {
  await add('Eva')
  const path = `${PEOPLE}/${await idOf('Eva')}/reset`
  const reset = await root.post(path, { ...hiddenIn((await root.get(path)).text), how: 'shown' })
  const shown = /<code class="secret">[^<]*(\/link\/[\w-]+)</.exec(reset.text)?.[1]
  expect(await opens(shown)).toBe(true)
  expect(await send()).toBeUndefined()
  expect(await opens(shown)).toBe(true)
})

test('a mail to an address that was corrected meanwhile is not sent', async () => {
  await add('Mistyped')
  await changeUser(kassa.ctx, 'Mistyped', { email: 'corrected@shop.example' })
  expect(await send()).toBeUndefined()
})

test('the link of a mail that went to a wrong address ends when the address is corrected', async () => {
  await add('Anna')
  const link = await send()
  expect(await opens(link)).toBe(true)
  const path = `${PEOPLE}/${await idOf('Anna')}`
  const values = { email: 'anna@right.example', role: 'shop', shop: merchantId, limits: '' }
  const saved = await root.post(path, { ...hiddenIn((await root.get(path)).text), ...values })
  expect(saved.location).toBe(`${path}?done=linkEnded`)
  expect((await root.get(saved.location ?? '')).text).toContain('make a new one below')
  expect(await opens(link)).toBe(false)
})

test('an address that has no mailbox gets no mail, and its link is shown', async () => {
  const values = { name: 'Here', role: 'shop', email: 'here@localhost', shop: merchantId, limits: '' }
  const { text } = await root.post(`${PEOPLE}/new`, values)
  expect(/<code class="secret">[^<]*\/link\//.test(text)).toBe(true)
  expect(await send()).toBeUndefined()
})

test('a mail that is sent once more has a link that works', async () => {
  await add('Gor')
  const first = await send()
  // The mail server's yes was lost.
  await kassa.ctx.db.query(
    `update sandbox.mails set state = 'waiting', due_at = created_at, ended_at = null
     where kind = 'invitation' and notice->>'to' = 'gor@shop.example'`,
  )
  const second = await send()
  expect([first === second, await opens(first), await opens(second)]).toEqual([false, false, true])
})
