CREATE TABLE "run_sources" (
	"account_code" text NOT NULL,
	"hash" text NOT NULL,
	"source" text NOT NULL,
	CONSTRAINT "run_sources_account_code_hash_pk" PRIMARY KEY("account_code","hash")
);
--> statement-breakpoint
ALTER TABLE "run_inputs" ADD COLUMN "source_hash" text;--> statement-breakpoint
ALTER TABLE "run_sources" ADD CONSTRAINT "run_sources_account_code_accounts_account_code_fk" FOREIGN KEY ("account_code") REFERENCES "public"."accounts"("account_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "run_inputs_by_source" ON "run_inputs" USING btree ("account_code","source_hash");--> statement-breakpoint
insert into run_sources (account_code, hash, source)
	select account_code, 'run ' || id, source from run_inputs where source is not null;
--> statement-breakpoint
update run_inputs set source_hash = 'run ' || id where source is not null;
--> statement-breakpoint
update counters set value = value + 256 * (
	select count(*) from run_sources where run_sources.account_code = counters.account_code
) where name = 'stored byte';
--> statement-breakpoint
ALTER TABLE "run_inputs" DROP COLUMN "source";