/** Compares our clock with the provider's, which states its time in the header of each answer. */
import { counted } from '../../messages/counted.ts'
import type { ProviderHttp } from '../http.ts'
import { type Finding, ok, problem, unknown } from './finding.ts'

/** Signatures are rejected at 300 seconds. A clock that is this much wrong should be corrected before that. */
const APART_MAX_SECONDS = 30
const SECOND_MS = 1_000

/** Returns the same way out, which remembers how far apart the clocks were at the last answer. `nowMs`: the machine's clock. */
export function watchClock(http: ProviderHttp, nowMs: () => number) {
  let apartMs: number | null = null
  return {
    http: {
      ...http,
      async request(request) {
        const answer = await http.request(request)
        const statedMs = Date.parse(answer.headers.date ?? '')
        if (!Number.isNaN(statedMs)) apartMs = nowMs() - statedMs
        return answer
      },
    } satisfies ProviderHttp,
    finding: (): Finding => judge(apartMs),
  }
}

function judge(apartMs: number | null): Finding {
  if (apartMs === null) return unknown('The provider does not state its time, so the clock is not compared.')
  const seconds = Math.round(Math.abs(apartMs) / SECOND_MS)
  if (seconds <= APART_MAX_SECONDS) return ok("This machine's clock agrees with the provider's.")
  return problem(
    `This machine's clock is ${counted(seconds, 'second')} ${apartMs > 0 ? 'ahead of' : 'behind'} the provider's. Callbacks whose signature is more than 300 seconds old are rejected. Set the clock, and let the machine keep it by NTP.`,
  )
}
