const { Migration } = require('@medusajs/framework/mikro-orm/migrations')

exports.Migration20261129000000 = class extends Migration {
  async up() {
    this.addSql(`create table if not exists "kassa_news" (
      "id" text not null primary key, "session_id" text not null, "told" integer not null default 0,
      "done" integer not null default 0, "note" text null, "created_at" timestamptz not null default now(),
      "updated_at" timestamptz not null default now(), "deleted_at" timestamptz null)`)
  }

  async down() {
    this.addSql('drop table if exists "kassa_news" cascade')
  }
}
