/** Version 0.1 stored root's data in another default directory. A live service must not silently start on an empty database. */
import type { Config } from '../config.ts'
import { findEarlierData } from '../postgres/embedded.ts'
import { EmbeddedError } from '../postgres/error.ts'
import { nameOf } from '../settings/table.ts'

/** Warns about data of an earlier version in the old directory. @throws EmbeddedError in live mode */
export async function warnOfEarlierData(
  config: Config,
  what: 'postgres' | 'secrets-key',
  { dataDir, onProgress }: { dataDir: string; onProgress(line: string): void },
): Promise<void> {
  const earlier = config.dataDir ? null : await findEarlierData(what, dataDir)
  if (!earlier) return
  const setting = nameOf('dataDir')
  const line = `${earlier} has the data of an earlier version. For root, each checkout now has its own data directory: ${dataDir}.`
  if (config.mode === 'live')
    throw new EmbeddedError(`${line} Set ${setting} to the directory that this service should use.`)
  onProgress(`${line} To use the earlier data, set ${setting}=${earlier}.`)
}
