/** A made-up release after this one: the migrations of this build, and more of them. */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Release, THIS_RELEASE } from '../../storage/upgrade/files.ts'

export type NextRelease = Release & { remove(): Promise<void> }

/** What a release after this one may do: add a column, a table and an index, while this version keeps running. */
export const EXPANSION = {
  'world/0900_gifts.sql': `-- oldest version: 0.2.0
    -- What a buyer wants to be written on a gift.
    alter table world.payments add column gift_note text;
    alter table world.payments add column wrapped boolean not null default false;
    alter table world.payments add constraint gift_note_length check (char_length(gift_note) <= 200) not valid;
    create table world.gifts (
      merchant_id text not null references kassa.merchants,
      payment_id text not null,
      note text not null, -- a semicolon; in a comment
      primary key (merchant_id, payment_id)
    );
    insert into world.gifts (merchant_id, payment_id, note)
      select merchant_id, id, 'made before gifts; ' || status from world.payments;`,
  'world/0901_gifts_index.sql': `-- oldest version: 0.2.0
    create index concurrently if not exists payments_wrapped on world.payments (merchant_id) where wrapped;`,
  'world/0902_gifts_checked.sql': `-- oldest version: 0.2.0
    alter table world.payments validate constraint gift_note_length;`,
}

/** `migrations`: text by path, such as `world/0900_gifts.sql`. */
export async function makeNextRelease(
  version: string,
  migrations: Record<string, string>,
): Promise<NextRelease> {
  const folder = await mkdtemp(join(tmpdir(), 'kassa-next-'))
  await cp(THIS_RELEASE.folder, folder, { recursive: true })
  for (const [path, text] of Object.entries(migrations)) await writeFile(join(folder, path), text)
  return {
    version,
    folder: pathToFileURL(`${folder}/`),
    remove: () => rm(folder, { recursive: true }),
  }
}
