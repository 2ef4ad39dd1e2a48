CREATE TABLE "queue_accounts" (
	"account_code" text NOT NULL,
	"last_id" bigint NOT NULL,
	"waiting" bigint NOT NULL,
	"due_at" timestamp with time zone,
	CONSTRAINT "queue_accounts_account_code_pk" PRIMARY KEY("account_code")
);
--> statement-breakpoint
CREATE TABLE "queued_runs" (
	"account_code" text NOT NULL,
	"id" bigint NOT NULL,
	"state" text NOT NULL,
	"trigger" text NOT NULL,
	"event" text,
	"hook_id" bigint,
	"webhook_id" bigint,
	"function_id" bigint NOT NULL,
	"name" text NOT NULL,
	"case_type_code" text,
	"case_id" bigint,
	"case_version" bigint,
	"lane" text,
	"txn_id" text NOT NULL,
	"generation" bigint NOT NULL,
	"caused_by" text NOT NULL,
	"scopes" text NOT NULL,
	"attempt" bigint NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"claim_at" timestamp with time zone,
	"holder" text,
	"last_error" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"input" text NOT NULL,
	"options" text NOT NULL,
	CONSTRAINT "queued_runs_account_code_id_pk" PRIMARY KEY("account_code","id")
);
--> statement-breakpoint
ALTER TABLE "queue_accounts" ADD CONSTRAINT "queue_accounts_account_code_accounts_account_code_fk" FOREIGN KEY ("account_code") REFERENCES "public"."accounts"("account_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "queued_runs" ADD CONSTRAINT "queued_runs_account_code_accounts_account_code_fk" FOREIGN KEY ("account_code") REFERENCES "public"."accounts"("account_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "queue_accounts_by_due" ON "queue_accounts" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "queued_runs_by_claim" ON "queued_runs" USING btree ("account_code","claim_at","id");--> statement-breakpoint
CREATE INDEX "queued_runs_by_lane" ON "queued_runs" USING btree ("account_code","lane","state","id");--> statement-breakpoint
CREATE INDEX "queued_runs_by_state" ON "queued_runs" USING btree ("account_code","state","id");