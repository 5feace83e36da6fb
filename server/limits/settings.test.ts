import { describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { DEFAULT_LIMITS } from './settings.ts'

describe('RATE_LIMITS', () => {
  test('without a value the defaults apply, "off" turns limits off, and a given limit replaces only that default', () => {
    expect(readConfig({}).rateLimits).toEqual(DEFAULT_LIMITS)
    expect(readConfig({ RATE_LIMITS: 'off' }).rateLimits).toBeNull()
    expect(readConfig({ RATE_LIMITS: 'write=5:7,widget_address=0.34:20' }).rateLimits).toEqual({
      ...DEFAULT_LIMITS,
      write: { perSecond: 5, burst: 7 },
      widget_address: { perSecond: 0.34, burst: 20 },
    })
  })

  const wrong = [
    'on',
    'write',
    'write=5',
    'write=0:5',
    'write=5:0',
    'read=5:5',
    'write=-1:5',
    'write=5:1.5',
    '__proto__=1:1',
  ]
  test.each(wrong)('%s is rejected, and the error names the setting', (text) => {
    expect(() => readConfig({ RATE_LIMITS: text })).toThrow(/RATE_LIMITS: /)
  })
})

describe('TRUST_PROXY', () => {
  test('is a number of proxies or a list of their addresses, and trusts no proxy by default', () => {
    expect(readConfig({}).trustProxy).toBe(false)
    expect(readConfig({ TRUST_PROXY: '0' }).trustProxy).toBe(false)
    expect(readConfig({ TRUST_PROXY: '2' }).trustProxy).toBe(2)
    expect(readConfig({ TRUST_PROXY: '10.0.0.0/8, 192.0.2.7,fd00::/8' }).trustProxy).toEqual([
      '10.0.0.0/8',
      '192.0.2.7',
      'fd00::/8',
    ])
  })

  test.each(['true', 'loopback', '-1', '10.0.0.0/33', '10.0.0', '0.0.0.0/0', '*', '10.0.0.0/8/8'])(
    '%s is rejected, and the error names the setting',
    (text) => {
      expect(() => readConfig({ TRUST_PROXY: text })).toThrow(/TRUST_PROXY: /)
    },
  )
})

test('REDIS_URL of an earlier version is ignored, whatever it is, and the start says so in one line', () => {
  const { warnings, ...config } = readConfig({ REDIS_URL: 'redis://:secret@cache.example' })
  expect(warnings).toEqual([
    'REDIS_URL is ignored. The limits of sign-ins, wrong tokens and declines are shared in the database, so Redis is not needed any more.',
  ])
  expect({ ...config, warnings: [] }).toEqual(readConfig({}))
})
