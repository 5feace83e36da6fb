import { expect, test } from 'vitest'
import { driverNames } from '../../accounts/described.ts'
import { driverFields, settingLabel } from './driver-fields.ts'

const asText = (label: unknown): string => (label as { as: string }).as

test.each(driverNames())('an owner reads each setting of %s in Armenian', (driver) => {
  const fields = driverFields('hy', driver, { isNew: true })
  const isForeign = (text: string) => !/\p{Script=Armenian}/u.test(text)
  const foreign = fields.filter(
    // The bank's own word. It has no other.
    ({ name, label, hint }) =>
      (isForeign(asText(label)) && name !== 's_CLIENT_ID') || isForeign(asText(hint)),
  )
  expect(foreign).toEqual([])
})

test('a setting keeps the name that guides and refusals have', () => {
  expect(settingLabel('ru', 'rbs', 'USERNAME')).toBe('Логин для API (USERNAME)')
  expect(settingLabel('en', 'ameria', 'USERNAME')).toBe('User name at the bank (USERNAME)')
  expect(settingLabel('en', 'rbs', 'UNHEARD_OF')).toBe('UNHEARD_OF')
})
