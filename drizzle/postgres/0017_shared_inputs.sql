CREATE TABLE "queued_inputs" (
	"account_code" text NOT NULL,
	"id" bigint NOT NULL,
	"runs" bigint NOT NULL,
	"bytes" bigint NOT NULL,
	"waiting_bytes" bigint NOT NULL,
	"input" text NOT NULL,
	"options" text NOT NULL,
	CONSTRAINT "queued_inputs_account_code_id_pk" PRIMARY KEY("account_code","id")
);
--> statement-breakpoint
ALTER TABLE "queue_accounts" ADD COLUMN "waiting_bytes" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "queued_runs" ADD COLUMN "input_id" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "queued_inputs" ADD CONSTRAINT "queued_inputs_account_code_accounts_account_code_fk" FOREIGN KEY ("account_code") REFERENCES "public"."accounts"("account_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
insert into queued_inputs (account_code, id, runs, bytes, waiting_bytes, input, options)
	select account_code, id, 1, octet_length(input) + octet_length(options),
		case when state = 'dead' then 0 else octet_length(input) + octet_length(options) end, input, options
	from queued_runs;
--> statement-breakpoint
update queued_runs set input_id = id;
--> statement-breakpoint
update queue_accounts set waiting_bytes = coalesce((
	select sum(queued_inputs.waiting_bytes) from queued_inputs
	where queued_inputs.account_code = queue_accounts.account_code
), 0);
