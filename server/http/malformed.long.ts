import { expect, test } from 'vitest'
import { openShop, spawnKassa, startKassa } from '../testing/harness.ts'
import { freshSeed } from '../testing/random.ts'
import { sendGenerated } from './malformed.suite.ts'

test('20,000 generated requests: no 5xx, no exit, no answer later than 2 s, only JSON', async () => {
  const kassa = await startKassa()
  const shop = await openShop(kassa.ctx)
  const running = await spawnKassa({ DATABASE_URL: kassa.databaseUrl })
  const seed = freshSeed()
  process.stdout.write(`20,000 generated requests with seed ${seed}\n`)
  try {
    await sendGenerated(running, shop, { count: 20_000, seed })
    expect(running.child.exitCode).toBeNull()
  } finally {
    await running.kill('SIGTERM')
    await kassa.close()
  }
})
