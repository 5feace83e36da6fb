/** Why a page's origin is accepted or refused by an installation, in sentences for whoever has to mend it. */
import type { InstallationRecord } from '../storage/installations.ts'
import { type OriginSpelling, spellOrigin } from './origin-spelling.ts'

export type Diagnosis = {
  /** Whether a page that sends exactly this origin may use the public key now. */
  allowed: boolean
  /** Sentences, in the order they are read. */
  findings: string[]
  /** What mends it, and the commands for that; null when nothing needs mending. */
  remedy: { advice: string; commands: string[] } | null
}

const ADMIN = 'npm run -s admin --'

/** Compares byte for byte, as the widget endpoint does; what differs is only explained, never forgiven. */
export function diagnoseOrigin(installation: InstallationRecord, given: string): Diagnosis {
  const { origins, revokedAt } = installation
  const spelling = spellOrigin(given)
  const matches = origins.includes(given)
  const findings = [
    ...(revokedAt ? [`The installation is revoked: its public key is refused on every page.`] : []),
    ...(matches ? [`"${given}" is registered, byte for byte.`] : spelling.findings),
    ...(matches || spelling.origin === null ? [] : [compare(spelling.origin, origins)]),
  ]
  const allowed = matches && !revokedAt
  return { allowed, findings, remedy: allowed ? null : findRemedy(installation, given, spelling) }
}

function findRemedy(installation: InstallationRecord, given: string, { origin, advice }: OriginSpelling) {
  const { id, merchantId, origins, revokedAt, returnUrl, provider } = installation
  if (origin === null) return { advice: advice ?? 'Give the origin as a browser sends it.', commands: [] }
  if (!revokedAt && origin !== given && origins.includes(origin))
    return {
      advice: 'The page itself is fine. Ask again with the spelling that its browser sends:',
      commands: [`${ADMIN} installation doctor --installation ${id} --origin ${quoted(origin)}`],
    }
  const all = [...new Set([...origins, origin])].map((each) => ` --origin ${quoted(each)}`).join('')
  const rest = `${returnUrl ? ` --return-url ${quoted(returnUrl)}` : ''}${provider ? ` --route ${provider}` : ''}`
  const create = `${ADMIN} installation create --merchant ${merchantId}${all}${rest}`
  if (revokedAt)
    return { advice: 'Make a new installation, and put its public key into the page:', commands: [create] }
  const twin = origins.find((each) => isTwin(new URL(each), new URL(origin)))
  return {
    advice: `${twin ? `Serve the page from ${twin}. Or make` : "If the page is the merchant's own, make"} an installation that lists this origin too, put its public key into the pages, then revoke the old one:`,
    commands: [create, `${ADMIN} installation revoke --installation ${id}`],
  }
}

/** One sentence: the registered origin that comes closest, and each part in which it differs. */
function compare(origin: string, registered: string[]): string {
  if (registered.includes(origin)) return `"${origin}" is registered.`
  const page = new URL(origin)
  const [closest] = registered
    .map((each) => ({ each, parts: differences(page, new URL(each)), far: farness(page, new URL(each)) }))
    .sort((left, right) => left.far - right.far)
  if (!closest) return `"${origin}" is not registered.`
  const others = registered.length > 1 ? ` All that are registered: ${registered.join(', ')}.` : ''
  return `"${origin}" is not registered. The closest that is, "${closest.each}", differs: ${closest.parts.join('; ')}.${others}`
}

function differences(page: URL, known: URL): string[] {
  const parts: string[] = []
  if (page.protocol !== known.protocol)
    parts.push(`the scheme is ${scheme(page)}, registered is ${scheme(known)}`)
  if (page.hostname !== known.hostname)
    parts.push(
      bareHost(page) === bareHost(known)
        ? `${page.hostname} and ${known.hostname} are two origins, with www and without`
        : `the host is ${page.hostname}, registered is ${known.hostname}`,
    )
  if (page.port !== known.port) parts.push(`the port is ${port(page)}, registered is ${port(known)}`)
  return parts
}

/** A foreign host is further away than every other difference together. */
function farness(page: URL, known: URL): number {
  const foreign = bareHost(page) === bareHost(known) ? 0 : related(page, known) ? 5 : 10
  return foreign + differences(page, known).length
}

function related(page: URL, known: URL): boolean {
  return page.hostname.endsWith(`.${bareHost(known)}`) || known.hostname.endsWith(`.${bareHost(page)}`)
}

/** The same site under its other spelling: http for https, or www for the bare name. */
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
  return url.port || `${url.protocol === 'https:' ? 443 : 80} (the default)`
}

/** For a POSIX shell: an origin comes from a stranger's request, and a host name may hold `$`, `;` and backquotes. */
function quoted(text: string): string {
  return /^[\w:/.@%?=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
