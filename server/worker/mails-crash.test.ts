/** A worker that dies between the mail server's yes and its own note. */
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Db } from '../storage/db.ts'
import { listMails } from '../storage/mails/mails.ts'
import { TEST_SETTINGS } from '../testing/harness.ts'
import { headersOf, startMailServer } from '../testing/mail-server.ts'
import { watchedDb } from '../testing/mortal-db.ts'
import { openFiscalShop } from '../testing/payments/fiscal-shop.ts'
import { endProcess, startProcess } from '../testing/processes/child-process.ts'
import { closeAfter, openKassa } from '../testing/scene.ts'
import { LEASE_MS, startMails } from './mails.ts'

const ENTRY = fileURLToPath(new URL('../main.ts', import.meta.url))
const PURCHASES = 6
const DIES_AT = 3

type Scene = Awaited<ReturnType<typeof openScene>>

async function openScene() {
  const server = closeAfter(await startMailServer())
  const settings = { SMTP_URL: server.url, MAIL_FROM: 'receipts@pay.example' }
  const kassa = await openKassa({ settings })
  const { pay, print } = await openFiscalShop(kassa)
  for (let each = 0; each < PURCHASES; each++)
    await pay('route_a', { customer: { email: `buyer-${each}@example.com` } })
  await print()
  return { server, settings, kassa }
}

/** From the third message on, the server responds only when the worker is dead. Resolves when it has kept that message. */
function holdThird({ server }: Scene) {
  const third = Promise.withResolvers<void>()
  const dead = Promise.withResolvers<void>()
  server.onKept = () => {
    if (server.arrived.length < DIES_AT) return
    third.resolve()
    return dead.promise
  }
  return {
    reached: third.promise,
    goOn() {
      dead.resolve()
      server.onKept = null
    },
  }
}

/** Another worker sends the rest, and what the dead one had under way when its lease has ended. */
async function expectAllSent({ kassa, server }: Scene): Promise<void> {
  const mails = startMails(kassa.ctx)
  const run = async () => {
    await mails.turn()
    await mails.settle()
  }
  await run()
  await run()
  kassa.clock.advance(LEASE_MS + 1_000)
  await run()
  await run()
  const stored = await listMails(kassa.ctx.db, { limit: 50 })
  expect(stored.map(({ state }) => state)).toEqual(Array.from({ length: PURCHASES }, () => 'sent'))
  const sent = server.arrived.map((each) => headersOf(each)['message-id'])
  expect(new Set(sent)).toEqual(new Set(stored.map(({ id }) => `<${id}@pay.example>`)))
  // Only what the dead worker had under way can come twice.
  expect(sent.length - PURCHASES).toBeLessThanOrEqual(4)
  expect(sent.length).toBeGreaterThan(PURCHASES)
  await mails.stop()
}

test('no mail is lost, and the one that is sent again has the same Message-ID', async () => {
  const scene = await openScene()
  const { ctx } = scene.kassa
  let isDead = false
  const die = () => {
    if (isDead) throw new Error('the process has died')
  }
  const db: Db = watchedDb(ctx.db, die, () => isDead)
  const third = holdThird(scene)
  const dying = startMails({ ...ctx, db })
  await dying.turn()
  await third.reached
  isDead = true
  third.goOn()
  await dying.stop()
  await expectAllSent(scene)
})

test('the same holds for a process that is killed', { tags: ['long'] }, async () => {
  const scene = await openScene()
  // This is set before the start, because a worker sends as soon as it can.
  const third = holdThird(scene)
  const env = {
    ...TEST_SETTINGS,
    DATABASE_URL: scene.kassa.databaseUrl,
    PROCESS: 'worker',
    ...scene.settings,
  }
  const dying = startProcess(ENTRY, { env })
  dying.stdout.resume()
  dying.stderr.pipe(process.stderr)
  await third.reached
  await endProcess(dying, 'SIGKILL')
  third.goOn()
  await expectAllSent(scene)
})
