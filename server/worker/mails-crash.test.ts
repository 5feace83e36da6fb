/** A worker that is killed between the mail server's yes and its own note. */
import { expect, test } from 'vitest'
import { listMails } from '../storage/mails/mails.ts'
import { spawnKassa, startKassa } from '../testing/harness.ts'
import { headersOf, startMailServer } from '../testing/mail-server.ts'
import { openFiscalShop } from '../testing/payments/fiscal-shop.ts'
import { LEASE_MS, startMails } from './mails.ts'

test('no mail is lost, and the one that is sent again has the same Message-ID', async () => {
  const server = await startMailServer()
  const settings = { SMTP_URL: server.url, MAIL_FROM: 'receipts@pay.example' }
  const kassa = await startKassa({ settings })
  const { pay, print } = await openFiscalShop(kassa)
  const ids = []
  for (let each = 0; each < 6; each++)
    ids.push(await pay('route_a', { customer: { email: `buyer-${each}@example.com` } }))
  await print()
  const third = Promise.withResolvers<void>()
  const dead = Promise.withResolvers<void>()
  // From the third message on, the server responds only when the worker is dead. This is set before the start, because a worker may
  // send before its process is ready.
  server.onKept = () => {
    if (server.arrived.length < 3) return
    third.resolve()
    return dead.promise
  }
  const dying = await spawnKassa({ DATABASE_URL: kassa.databaseUrl, PROCESS: 'all', ...settings })
  await third.promise
  await dying.kill('SIGKILL')
  dead.resolve()
  server.onKept = null
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
  expect(stored.map(({ state }) => state)).toEqual(ids.map(() => 'sent'))
  const sent = server.arrived.map((each) => headersOf(each)['message-id'])
  expect(new Set(sent)).toEqual(new Set(stored.map(({ id }) => `<${id}@pay.example>`)))
  // Only what the dead worker had under way can come twice.
  expect(sent.length - ids.length).toBeLessThanOrEqual(4)
  expect(sent.length).toBeGreaterThan(ids.length)
  await mails.stop()
  await kassa.close()
  await server.close()
})
