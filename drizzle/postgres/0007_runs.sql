CREATE TABLE "runs" (
	"account_code" text NOT NULL,
	"id" bigint NOT NULL,
	"run_id" text NOT NULL,
	"state" text NOT NULL,
	"outcome" text,
	"trigger" text NOT NULL,
	"event" text,
	"name" text NOT NULL,
	"function_id" bigint,
	"function_version" text,
	"case_id" bigint,
	"case_version" bigint,
	"txn_id" text NOT NULL,
	"txn_source" text NOT NULL,
	"parent_run_id" text,
	"replay_of" text,
	"attempt" bigint NOT NULL,
	"by_user_id" bigint,
	"scopes" text NOT NULL,
	"started_at" bigint NOT NULL,
	"duration" bigint,
	"dry_run" bigint NOT NULL,
	"text_bytes" text NOT NULL,
	"gateway" text NOT NULL,
	CONSTRAINT "runs_account_code_id_pk" PRIMARY KEY("account_code","id")
);
--> statement-breakpoint
CREATE TABLE "run_inputs" (
	"account_code" text NOT NULL,
	"id" bigint NOT NULL,
	"started_at" bigint NOT NULL,
	"input" text,
	"options" text,
	CONSTRAINT "run_inputs_account_code_id_pk" PRIMARY KEY("account_code","id")
);
--> statement-breakpoint
CREATE TABLE "run_outputs" (
	"account_code" text NOT NULL,
	"id" bigint NOT NULL,
	"payload" text,
	"message" text,
	"error" text,
	"logs" text,
	CONSTRAINT "run_outputs_account_code_id_pk" PRIMARY KEY("account_code","id")
);
--> statement-breakpoint
CREATE TABLE "gateways" (
	"account_code" text NOT NULL,
	"id" text NOT NULL,
	"seen_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "gateways_account_code_id_pk" PRIMARY KEY("account_code","id")
);
--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_account_code_accounts_account_code_fk" FOREIGN KEY ("account_code") REFERENCES "public"."accounts"("account_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "run_inputs" ADD CONSTRAINT "run_inputs_account_code_accounts_account_code_fk" FOREIGN KEY ("account_code") REFERENCES "public"."accounts"("account_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "run_outputs" ADD CONSTRAINT "run_outputs_account_code_accounts_account_code_fk" FOREIGN KEY ("account_code") REFERENCES "public"."accounts"("account_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "runs_by_function" ON "runs" USING btree ("account_code","function_id","id");--> statement-breakpoint
CREATE INDEX "runs_by_version" ON "runs" USING btree ("account_code","function_version","id");--> statement-breakpoint
CREATE INDEX "runs_by_case" ON "runs" USING btree ("account_code","case_id","id");--> statement-breakpoint
CREATE INDEX "runs_by_transaction" ON "runs" USING btree ("account_code","txn_id","id");--> statement-breakpoint
CREATE INDEX "runs_by_outcome" ON "runs" USING btree ("account_code","outcome","id");--> statement-breakpoint
CREATE INDEX "runs_by_state" ON "runs" USING btree ("state","account_code","id");--> statement-breakpoint
CREATE INDEX "runs_by_age" ON "runs" USING btree ("started_at");--> statement-breakpoint
CREATE UNIQUE INDEX "runs_by_run_id" ON "runs" USING btree ("account_code","run_id");--> statement-breakpoint
CREATE INDEX "run_inputs_by_age" ON "run_inputs" USING btree ("started_at");