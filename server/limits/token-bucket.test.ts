import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { growthOf, LINEAR_BELOW } from '../testing/growth.ts'
import { createMemoryBuckets, type Limit, type Taken } from './token-bucket.ts'

describe('a token bucket', () => {
  test('allows exactly its burst and the permits that it gains over time', () => {
    const limits = fc.record({
      perSecond: fc.double({ min: 0.1, max: 1_000, noNaN: true }),
      burst: fc.integer({ min: 1, max: 50 }),
    })
    fc.assert(
      fc.property(
        limits,
        fc.array(fc.double({ min: 0, max: 3_000, noNaN: true }), { maxLength: 200 }),
        (limit, pauses) => {
          let now = 0
          // The simplest model of a bucket: a number of permits that grows with time.
          let permits = limit.burst
          const buckets = createMemoryBuckets(() => now)
          for (const pause of pauses) {
            now += pause
            permits = Math.min(limit.burst, permits + (pause / 1_000) * limit.perSecond)
            // At exactly the limit, floating-point error can give either result. Both are correct.
            const isEdge = Math.abs(permits - 1) < 1e-4
            const { waitMs } = buckets.take('a', limit) as Taken
            if (!isEdge) expect(waitMs === 0).toBe(permits >= 1)
            if (waitMs === 0) permits = Math.max(0, permits - 1)
            else expect(waitMs).toBeCloseTo(((1 - permits) / limit.perSecond) * 1_000, 0)
          }
        },
      ),
    )
  })

  test('returns how many permits are left and when the bucket will be full', () => {
    let now = 0
    const buckets = createMemoryBuckets(() => now)
    const limit: Limit = { perSecond: 2, burst: 3 }
    const take = () => buckets.take('a', limit)
    expect(take()).toEqual({ remaining: 2, waitMs: 0, fullInMs: 500 })
    expect(take()).toEqual({ remaining: 1, waitMs: 0, fullInMs: 1_000 })
    expect(take()).toEqual({ remaining: 0, waitMs: 0, fullInMs: 1_500 })
    expect(take()).toEqual({ remaining: 0, waitMs: 500, fullInMs: 1_500 })
    now = 499
    expect(take()).toMatchObject({ waitMs: 1 })
    now = 500
    expect(take()).toMatchObject({ waitMs: 0 })
  })

  test('of one key does not affect the bucket of another key', () => {
    const buckets = createMemoryBuckets(() => 0)
    const limit = { perSecond: 1, burst: 1 }
    expect([buckets.take('a', limit), buckets.take('b', limit), buckets.take('a', limit)]).toMatchObject([
      { waitMs: 0 },
      { waitMs: 0 },
      { waitMs: 1_000 },
    ])
  })

  test('remembers up to 50,000 callers that are over their limit, and never stores more than a fixed number', () => {
    let now = 0
    const buckets = createMemoryBuckets(() => now)
    const limit = { perSecond: 0.001, burst: 1 }
    for (let index = 0; index < 40_000; index++) buckets.take(`caller ${index}`, limit)
    expect(buckets.take('caller 0', limit)).toMatchObject({ remaining: 0 })
    now = 1
    for (let index = 0; index < 200_000; index++) buckets.take(`other ${index}`, limit)
    expect(buckets.take('other 199999', limit)).toMatchObject({ remaining: 0 })
    expect(buckets.take('caller 0', limit)).toMatchObject({ waitMs: 0 })
  })

  test('takes no longer for a request when there are more callers', () => {
    const limit = { perSecond: 25, burst: 100 }
    const read = ({ length }: string) => {
      const buckets = createMemoryBuckets(() => 0)
      for (let caller = 0; caller < length; caller++) buckets.take(`caller ${caller}`, limit)
    }
    const growth = growthOf(read, (callers) => ' '.repeat(callers), 1_000, LINEAR_BELOW)
    expect(growth).toBeLessThan(LINEAR_BELOW)
  })
})
