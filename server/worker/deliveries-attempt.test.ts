import { expect, test } from 'vitest'
import { createSession, payAtBank } from '../testing/calls.ts'
import { freePort, openShop } from '../testing/harness.ts'
import { openKassa } from '../testing/scene.ts'
import { serveHere } from '../testing/serve-here.ts'

// This Kassa only provides the database. The log is that of another service.
const kassa = await openKassa()

test('the log names the address and the reason of a failed delivery, without the query', async () => {
  const served = await serveHere({ DATABASE_URL: kassa.databaseUrl })
  try {
    const address = `http://127.0.0.1:${await freePort()}/hook`
    const shop = await openShop(kassa.ctx, { callbackUrl: `${address}?key=hunter2` })
    const { body } = await createSession(served.url, shop)
    await payAtBank(body.providerCheckoutUrl, 'paid')
    await expect.poll(() => served.output()).toContain('delivery failed')
    const line = served
      .output()
      .split('\n')
      .find((each) => each.includes('delivery failed'))
    expect(JSON.parse(line ?? '')).toMatchObject({
      url: address,
      attempt: 1,
      statusCode: null,
      reason: expect.stringContaining('ECONNREFUSED'),
    })
    expect(served.output()).not.toContain('hunter2')
  } finally {
    await served.stop()
  }
})
