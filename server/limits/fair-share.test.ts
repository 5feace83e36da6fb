/** A shop's button while somebody with many addresses sends as much as the limit of each address allows. */
import { describe, expect, test } from 'vitest'
import { takeFairly } from './fair-share.ts'
import { DEFAULT_LIMITS } from './settings.ts'
import { createMemoryBuckets } from './token-bucket.ts'

const SECONDS = 120
const ATTACKERS = 75
const BUYERS = 26

/**
 * Every address uses all permits of its own bucket, again and again. Buyers come one after the other, each for the first time.
 */
async function attack(networkOf: (attacker: number) => string) {
  let now = 0
  const buckets = createMemoryBuckets(() => now)
  const click = async (address: string, network: string) => {
    const own = buckets.take(`widget_address ${address}`, DEFAULT_LIMITS.widget_address)
    if (own.waitMs > 0) return false
    return (await takeFairly(buckets, DEFAULT_LIMITS, { key: 'kpk_1', network })).waitMs === 0
  }
  let attackersServed = 0
  let buyersServed = 0
  for (let second = 0; second < SECONDS; second++) {
    for (let attacker = 0; attacker < ATTACKERS; attacker++)
      for (let time = 0; time < 25; time++)
        if (await click(`attacker ${attacker}`, networkOf(attacker))) attackersServed++
    const buyer = second - (SECONDS - BUYERS)
    if (buyer >= 0 && (await click(`buyer ${buyer}`, `home of buyer ${buyer}`))) buyersServed++
    now += 1_000
  }
  return { attackersServed, buyersServed }
}

describe(`while ${ATTACKERS} addresses click as often as each may`, () => {
  test('from one IPv6 /48, all first-time buyers are served, and the /48 gets what one address would get', async () => {
    const { attackersServed, buyersServed } = await attack(() => '2001:db8:1::/48')
    expect(buyersServed).toBe(BUYERS)
    const { burst, perSecond } = DEFAULT_LIMITS.widget_address
    const beforePressure = DEFAULT_LIMITS.widget_key.burst / 2 + 1
    // Each time that the key's bucket is half full again, the /48 may use it down to the half.
    expect(attackersServed).toBeLessThan(beforePressure + burst + (25 + perSecond) * SECONDS)
  })

  test('from as many IPv4 networks, all first-time buyers are served', async () => {
    const { buyersServed } = await attack((attacker) => `192.0.2.${attacker}`)
    expect(buyersServed).toBe(BUYERS)
  })
})

test('a network is new to a key once a minute, and the reserve has an end', async () => {
  let now = 0
  const buckets = createMemoryBuckets(() => now)
  const limits = {
    widget_address: { perSecond: 1, burst: 100 },
    widget_key: { perSecond: 0.001, burst: 1 },
    widget_new: { perSecond: 0.001, burst: 2 },
  }
  const click = async (network: string) =>
    (await takeFairly(buckets, limits, { key: 'k', network })).waitMs === 0
  expect([await click('a'), await click('a')]).toEqual([true, false])
  expect([await click('b'), await click('b')]).toEqual([true, false])
  now += 60_001
  expect(await click('a')).toBe(true)
  expect([await click('c'), await click('d')]).toEqual([false, false])
})
