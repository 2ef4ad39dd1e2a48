CREATE TABLE "functions" (
	"account_code" text NOT NULL,
	"id" bigint NOT NULL,
	"name" text NOT NULL,
	"case_type_code" text NOT NULL,
	"live_version_id" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "functions_account_code_id_pk" PRIMARY KEY("account_code","id")
);
--> statement-breakpoint
CREATE TABLE "function_versions" (
	"account_code" text NOT NULL,
	"id" bigint NOT NULL,
	"function_id" bigint NOT NULL,
	"hash" text NOT NULL,
	"source_bytes" bigint NOT NULL,
	"comment" text,
	"by_user_id" bigint,
	"by_email" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"source_code" text NOT NULL,
	CONSTRAINT "function_versions_account_code_id_pk" PRIMARY KEY("account_code","id")
);
--> statement-breakpoint
ALTER TABLE "functions" ADD CONSTRAINT "functions_account_code_accounts_account_code_fk" FOREIGN KEY ("account_code") REFERENCES "public"."accounts"("account_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "function_versions" ADD CONSTRAINT "function_versions_account_code_accounts_account_code_fk" FOREIGN KEY ("account_code") REFERENCES "public"."accounts"("account_code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "functions_by_name" ON "functions" USING btree ("account_code","name","case_type_code");--> statement-breakpoint
CREATE INDEX "function_versions_by_function" ON "function_versions" USING btree ("account_code","function_id","id");--> statement-breakpoint
CREATE UNIQUE INDEX "function_versions_by_hash" ON "function_versions" USING btree ("account_code","function_id","hash");