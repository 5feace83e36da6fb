/** The software bill of materials (SBOM) of an archive: every package and its Node, as CycloneDX 1.5. */
import { createHash } from 'node:crypto'
import { run } from './run.ts'

type Release = { name: string; version: string; commit: string; at: Date }
type Bom = { serialNumber?: string; metadata?: { timestamp?: string }; components?: Component[] }
type Component = Record<string, unknown>

/** Returns the SBOM of npm as JSON. Its time and serial number are derived from the commit, so that it is reproducible. */
export async function listComponents(
  staged: string,
  { name, version, commit, at }: Release,
): Promise<string> {
  const omit = ['--omit=dev', '--package-lock-only', '--sbom-format=cyclonedx']
  const bom = JSON.parse(await run('npm', ['sbom', ...omit], staged)) as Bom
  bom.serialNumber = `urn:uuid:${uuidOf(`${name} ${version} ${commit}`)}`
  bom.metadata = { ...bom.metadata, timestamp: at.toISOString() }
  bom.components = [...(bom.components ?? []), nodeItself()]
  return `${JSON.stringify(bom, null, 2)}\n`
}

function nodeItself(): Component {
  const version = process.version.slice(1)
  return {
    'bom-ref': `node-${version}`,
    type: 'platform',
    name: 'node',
    version,
    purl: `pkg:generic/node@${version}`,
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
