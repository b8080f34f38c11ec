package main

import (
	"context"
	"errors"
	"io"

	"github.com/sashabaranov/go-openai"
)

func carryOut(asked order, done *got) error {
	config := openai.DefaultConfig(asked.ApiKey)
	config.BaseURL = asked.BaseUrl
	client := openai.NewClientWithConfig(config)
	messages := []openai.ChatCompletionMessage{{Role: "user", Content: asked.Prompt}}
	body := openai.ChatCompletionRequest{Model: asked.Model, Messages: messages}
	switch asked.Do {
	case "list":
		list, err := client.ListModels(context.Background())
		for _, model := range list.Models {
			done.Models = append(done.Models, model.ID)
		}
		return err
	case "create":
		reply, err := client.CreateChatCompletion(context.Background(), body)
		if err == nil {
			done.Text = reply.Choices[0].Message.Content
		}
		return err
	}
	stream, err := client.CreateChatCompletionStream(context.Background(), body)
	if err != nil {
		return err
	}
	defer stream.Close()
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) || len(chunk.Choices) > 0 && !done.add(asked, chunk.Choices[0].Delta.Content) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func statusOf(err error) int {
	var answer *openai.APIError
	if errors.As(err, &answer) {
		return answer.HTTPStatusCode
	}
	var request *openai.RequestError
	if errors.As(err, &request) {
		return request.HTTPStatusCode
	}
	return 0
}
