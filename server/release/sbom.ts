/**
 * The software bill of materials (SBOM) of an archive, as CycloneDX 1.5: every package that is inside, and the parts of its programs and
 * libraries.
 */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { listParts, type Part } from './parts.ts'
import { run } from './run.ts'
import { listFiles } from './stage.ts'

type Release = { name: string; version: string; commit: string; at: Date }
type Dependency = { ref: string; dependsOn?: string[] }
export type Component = { 'bom-ref': string; name: string; version: string } & Record<string, unknown>
export type Bom = {
  serialNumber?: string
  metadata?: Record<string, unknown> & { component?: Component }
  components: Component[]
  dependencies?: Dependency[]
}

/** The folder of an installed package: `node_modules/pg` or `node_modules/@img/colour`, at any depth. */
const PACKAGE = /(^|\/)node_modules\/(@[^/]+\/)?[^@/][^/]*$/

/**
 * Returns the SBOM as JSON. Its time and serial number are derived from the commit, so that it is reproducible.
 * @throws Error if something inside the archive is missing in it
 */
export async function listComponents(
  staged: string,
  { name, version, commit, at }: Release,
): Promise<string> {
  // With --omit=dev npm also leaves out packages that development and production share.
  const all = ['--package-lock-only', '--sbom-format=cyclonedx']
  const bom = JSON.parse(await run('npm', ['sbom', ...all], staged)) as Bom
  const inside = keepInside(bom, await listPackages(staged))
  const parts = (await listParts(staged)).map(componentOf)
  const listed = {
    ...inside,
    serialNumber: `urn:uuid:${uuidOf(`${name} ${version} ${commit}`)}`,
    metadata: { ...bom.metadata, timestamp: at.toISOString() },
    components: [...inside.components, ...parts],
  }
  return `${JSON.stringify(listed, null, 2)}\n`
}

/** Returns the name and version of each package whose files are in the archive, as npm writes them: `pg@8.23.1`. */
async function listPackages(staged: string): Promise<Set<string>> {
  const found = new Set<string>()
  for (const path of await listFiles(join(staged, 'node_modules'))) {
    const folder = relative(staged, dirname(path))
    if (!path.endsWith('/package.json') || !PACKAGE.test(folder)) continue
    const { name, version } = JSON.parse(await readFile(path, 'utf8')) as { name?: string; version?: string }
    if (name && version) found.add(`${name}@${version}`)
  }
  return found
}

/** npm lists what the lock file has, also the packages of other platforms and those that were left out. */
export function keepInside(bom: Bom, inside: ReadonlySet<string>): Bom {
  const components = bom.components.filter((each) => inside.has(`${each.name}@${each.version}`))
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`))
  const missing = [...inside].filter((each) => !listed.has(each))
  if (missing.length > 0)
    throw new Error(`These packages are in the archive, and npm does not list them:\n${missing.join('\n')}`)
  const refs = new Set([...components.map((each) => each['bom-ref']), bom.metadata?.component?.['bom-ref']])
  const dependencies = (bom.dependencies ?? [])
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }))
  return { ...bom, components, dependencies }
}

function componentOf({ name, version, within, files }: Part): Component {
  return {
    'bom-ref': `${within && `${within}/`}${name}@${version}`,
    type: within === '' ? 'platform' : 'library',
    name,
    version,
    purl: `pkg:generic/${name}@${encodeURIComponent(version)}`,
    properties: [
      ...(within ? [{ name: 'kassa:within', value: within }] : []),
      ...files.map((value) => ({ name: 'kassa:file', value })),
    ],
  }
}

/** Returns the same UUID for the same text (version 8 of RFC 9562, which allows any hash). */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
