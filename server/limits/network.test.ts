import { expect, test } from 'vitest'
import { customerOf, householdOf, networkOf } from './network.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:51234', '192.0.2.7'],
  [' 192.0.2.7 ', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['[::ffff:192.0.2.7]:443', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::9]', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::9]:51234', '2001:db8:1:2::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
])('%j is the caller %s', (given, expected) => {
  expect(householdOf(given)).toBe(expected)
})

test('a customer has the /48 of an IPv6 address, and one IPv4 address', () => {
  expect(customerOf('2001:db8:1:2::9')).toBe('2001:db8:1::/48')
  expect(customerOf('192.0.2.7')).toBe('192.0.2.7')
})

test.each([
  ['192.0.2.77', '192.0.2.0/24'],
  ['::ffff:192.0.2.77', '192.0.2.0/24'],
  ['2001:db8:7:1::9', '2001:db8:7::/48'],
  ['2001:db8:7:1::/64', '2001:db8:7::/48'],
  // Short forms: the groups that are left out are zeros, and no part of the network.
  ['2001:db8::1', '2001:db8:0::/48'],
  ['2001:db8:0:1::1', '2001:db8:0::/48'],
  ['2001::1', '2001:0:0::/48'],
  ['::1', '0:0:0::/48'],
])('the network of %s is %s', (given, expected) => {
  expect(networkOf(given)).toBe(expected)
  expect(networkOf(householdOf(given))).toBe(expected)
})
