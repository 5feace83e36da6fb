/**
 * The installation doctor explains why a page's origin is accepted or rejected. The other files of this folder check its
 * content security policy, its return URL and its snippet.
 * Rule: the doctor returns findings as data. The command line and the install page word them.
 */
import type { NextAct } from '../../errors.ts'
import type { InstallationRecord } from '../../merchants/installation.ts'
import { type OriginFault, spellOrigin } from '../../merchants/origin-spelling.ts'
import { bad, type Finding, type FindingKey, good, note } from './finding.ts'

export type Diagnosis = {
  /** Whether a page that sends exactly this origin may use the public key now. */
  allowed: boolean
  /** In the order in which a person should read them. */
  findings: Finding[]
  /** What to do, and the operator's act for it if there is one. Null if the origin is allowed. */
  remedy: { advice: Finding; act: NextAct | null } | null
}

/** Compares byte for byte, as the widget endpoint does. A spelling that differs is explained, but not accepted. */
export function diagnoseOrigin(installation: InstallationRecord, given: string): Diagnosis {
  const { origins, revokedAt } = installation
  const { origin, findings: spelling } = diagnoseSpelling(given)
  const matches = origins.includes(given)
  const findings = [
    ...(revokedAt ? [bad('revoked')] : []),
    ...(matches ? [good('originRegistered', { origin: given })] : spelling),
    ...(matches || origin === null ? [] : compare(origin, origins)),
  ]
  const allowed = matches && !revokedAt
  return { allowed, findings, remedy: allowed ? null : findRemedy(installation, given, origin) }
}

const BECAUSE = {
  scheme: 'becauseScheme',
  spaces: 'becauseSpaces',
  user: 'becauseUser',
  upperCase: 'becauseUpperCase',
  port: 'becausePort',
  ascii: 'becauseAscii',
  slash: 'becauseSlash',
  path: 'becausePath',
} as const satisfies Record<OriginFault, FindingKey>

/** Returns the origin that a browser sends for a typed text, and the faults of its spelling. `origin` is null if there is none. */
export function diagnoseSpelling(given: string): { origin: string | null; findings: Finding[] } {
  const { origin, faults } = spellOrigin(given)
  if (given === 'null') return { origin, findings: [bad('spelledNull')] }
  if (origin === null) return { origin, findings: [bad('spelledNotWeb', { given })] }
  if (origin === given) return { origin, findings: [] }
  const reasons = faults.map((fault) => bad(BECAUSE[fault]))
  return { origin, findings: [bad('spelledOtherwise', { given, sent: origin }), ...reasons] }
}

/** Checks the encryption of the page and of this server. Local addresses need none. */
export function diagnoseEncryption(origin: string, apiOrigin: string): Finding[] {
  const [page, api] = [new URL(origin), new URL(apiOrigin)]
  if (page.protocol === 'https:' && api.protocol === 'http:' && !isLocal(api))
    return [bad('mixedContent', { server: apiOrigin })]
  return page.protocol === 'http:' && !isLocal(page) ? [note('pageUnencrypted')] : []
}

export function isLocal({ hostname }: URL): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
}

function findRemedy(
  installation: InstallationRecord,
  given: string,
  origin: string | null,
): Diagnosis['remedy'] {
  const { id: installationId, merchantId, origins, revokedAt, returnUrl, provider } = installation
  if (origin === null) return { advice: note(given === 'null' ? 'adviceServe' : 'adviceWrite'), act: null }
  if (revokedAt) {
    const all = [...new Set([...origins, origin])]
    return {
      advice: note('adviceRevoked'),
      act: { act: 'create_installation', merchantId, origins: all, returnUrl, provider },
    }
  }
  if (origins.includes(origin))
    return { advice: note('adviceAskAgain'), act: { act: 'diagnose_origin', installationId, origin } }
  const twin = origins.find((each) => isTwin(new URL(each), new URL(origin)))
  return {
    advice: twin ? note('adviceTwin', { twin }) : note('adviceAllow'),
    act: { act: 'allow_origin', installationId, origin },
  }
}

/** Returns the closest registered origin, and each part in which it differs. */
function compare(origin: string, registered: string[]): Finding[] {
  if (registered.includes(origin)) return [note('originRegistered', { origin })]
  const page = new URL(origin)
  const unknown = bad('originUnknown', { origin })
  const [closest] = registered
    .map((each) => ({
      each,
      parts: differences(page, new URL(each)),
      distance: distanceOf(page, new URL(each)),
    }))
    .sort((left, right) => left.distance - right.distance)
  if (!closest) return [unknown]
  const others = registered.length > 1 ? [note('originsAll', { origins: registered.join(', ') })] : []
  return [unknown, bad('originClosest', { closest: closest.each }), ...closest.parts, ...others]
}

function differences(page: URL, known: URL): Finding[] {
  const parts: Finding[] = []
  if (page.protocol !== known.protocol)
    parts.push(bad('differsScheme', { page: scheme(page), known: scheme(known) }))
  if (page.hostname !== known.hostname)
    parts.push(
      bad(bareHost(page) === bareHost(known) ? 'differsWww' : 'differsHost', {
        page: page.hostname,
        known: known.hostname,
      }),
    )
  if (page.port !== known.port) parts.push(bad('differsPort', { page: port(page), known: port(known) }))
  return parts
}

/** A different host counts more than all other differences together. */
function distanceOf(page: URL, known: URL): number {
  const host = bareHost(page) === bareHost(known) ? 0 : related(page, known) ? 5 : 10
  return host + differences(page, known).length
}

function related(page: URL, known: URL): boolean {
  return page.hostname.endsWith(`.${bareHost(known)}`) || known.hostname.endsWith(`.${bareHost(page)}`)
}

/** Whether two origins are the same site, with http or https, and with or without www. */
function isTwin(known: URL, page: URL): boolean {
  return bareHost(known) === bareHost(page) && known.port === page.port
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^www\./, '')
}

function scheme(url: URL): string {
  return url.protocol.slice(0, -1)
}

function port(url: URL): string {
  return url.port || `${url.protocol === 'https:' ? 443 : 80}`
}
