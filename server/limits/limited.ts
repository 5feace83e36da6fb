/** The table of buckets: which limits count a request, by the name that an endpoint or a page declares. */
import type { LimitName } from './settings.ts'

/** What identifies a bucket. `network`: the network of the address, for limits that are shared fairly between networks. */
export type Caller = { token?: string; address?: string; network?: string; key?: string; account?: string }

/** The buckets of an endpoint or a page, by the name that it declares. A request takes one permit from each. */
export const LIMITED = {
  none: [],
  write: [{ name: 'write', per: ['token'] }],
  lookup: [{ name: 'lookup', per: ['token'] }],
  widget_caller: [{ name: 'widget_caller', per: ['address'] }],
  widget: [
    { name: 'widget_address', per: ['address', 'key'] },
    { name: 'widget_key', per: ['key'] },
  ],
  page: [{ name: 'page', per: ['address'] }],
  failed_token: [{ name: 'failed_token', per: ['address'] }],
  callback: [{ name: 'callback', per: ['address'] }],
  callback_rejected: [{ name: 'callback_rejected', per: ['address', 'account'] }],
  return: [{ name: 'return', per: ['address'] }],
} as const satisfies Record<string, readonly { name: LimitName; per: readonly (keyof Caller)[] }[]>

export type Limited = keyof typeof LIMITED

const PARTS: Record<string, ReadonlySet<keyof Caller>> = Object.fromEntries(
  Object.entries(LIMITED).map(([limited, buckets]) => [limited, new Set(buckets.flatMap(({ per }) => per))]),
)

/** Returns whether a bucket is identified by this part of the caller, such as the public key in the body. */
export function isBy(limited: Limited, part: keyof Caller): boolean {
  return PARTS[limited]?.has(part) === true
}
