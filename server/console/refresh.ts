/**
 * Screens on which somebody waits for something. The browser asks for the same address again, with growing pauses: the script gets
 * only a short answer while nothing has changed, and without a script the page refreshes itself. Both end, and neither keeps an idle
 * session alive.
 */
import { createHash } from 'node:crypto'
import { html, type Markup } from '../pages/html.ts'

/** `mark`: changes when there is something else to see. */
export type Refreshing = { mark: string }
/** A look that a waiting browser takes by itself. `mark`: what it shows; absent without a script. */
export type AutomaticLook = { number: number; mark: string | undefined }

/** How often a browser looks with each pause: quickly while somebody stands at the counter, and for less than an idle session. */
const PAUSES: readonly { looks: number; seconds: number }[] = [
  { looks: 20, seconds: 3 },
  { looks: 30, seconds: 10 },
  { looks: 40, seconds: 30 },
]

/** A short text that changes with these. */
export function markOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16)
}

/** Returns null for a visit of a person. */
export function readLook({ live, mark }: Record<string, string>): AutomaticLook | null {
  const number = live === undefined ? Number.NaN : Number(live)
  return Number.isSafeInteger(number) && number > 0 ? { number, mark } : null
}

/** Returns the seconds until the next look; null after the last one. */
export function pauseAfter(look: AutomaticLook | null): number | null {
  let rest = look?.number ?? 0
  for (const { looks, seconds } of PAUSES) {
    if (rest < looks) return seconds
    rest -= looks
  }
  return null
}

/** The part of a screen that is exchanged when something has changed. It is read out. */
export function refreshingPart({ mark }: Refreshing, content: Markup, { isWaiting = true } = {}): Markup {
  return html`<div data-live=${mark} data-pause=${isWaiting ? pauseAfter(null) : undefined} aria-live="polite">${content}</div>`
}

/** For the head of the document. Browsers with a script leave it out. */
export function refreshOf(address: string, look: AutomaticLook | null): Markup {
  const pause = pauseAfter(look)
  if (pause === null) return null
  const [path, query] = address.split('?')
  const next = new URLSearchParams(query)
  next.set('live', String((look?.number ?? 0) + 1))
  return html`<noscript><meta http-equiv="refresh" content=${`${pause}; url=${path}?${next}`} /></noscript>`
}
